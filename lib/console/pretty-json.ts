/** Deeper levels are not indented further: twenty thousand brackets would become gigabytes of blanks. */
const DEEPEST_INDENT = 32;

/**
 * Lays out a JSON text by its tokens alone: nothing is parsed, so digits, escapes and the order of keys stay as they
 * were sent, and no nesting overflows a stack. Without white space the result equals the input. A text that is no
 * JSON comes back as it is. `limit` characters of input are laid out; a longer text is cut, and `cut` says so.
 */
export function prettyJson(text: string, limit = 200_000): { text: string; cut: boolean } {
  const cut = text.length > limit;
  const input = cut ? text.slice(0, limit) : text;
  if (!/^\s*[[{]/.test(input)) return { text: input, cut };
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\],:]|[^\s"{}[\],:]+/gsu;
  let out = "";
  let depth = 0;
  let opened = false;
  const breakLine = () => `\n${"  ".repeat(Math.min(depth, DEEPEST_INDENT))}`;
  for (const [token] of input.matchAll(tokens)) {
    const closes = token === "}" || token === "]";
    if (closes) depth = Math.max(0, depth - 1);
    // An empty object or array stays on one line.
    if (closes ? !opened : opened) out += breakLine();
    out += token;
    if (token === ":") out += " ";
    if (token === ",") out += breakLine();
    opened = token === "{" || token === "[";
    if (opened) depth++;
  }
  return { text: out, cut };
}
