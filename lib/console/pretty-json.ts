/** Deeper levels are not indented further: twenty thousand brackets would become gigabytes of blanks. */
const DEEPEST_INDENT = 32;
/** A body of nothing but brackets grows sixtyfold; an ordinary one does not double. */
const MOST_GROWTH = 4;

/**
 * Lays out a JSON text by its tokens alone: nothing is parsed, so digits, escapes and the order of keys stay as they
 * were sent, and no nesting overflows a stack. Without white space the result equals the input. A text that is no
 * JSON comes back as it is. `limit` characters of input are laid out; a longer text is cut, and `cut` says so.
 */
export function prettyJson(text: string, limit = 200_000): { text: string; cut: boolean } {
  const cut = text.length > limit;
  const input = cut ? text.slice(0, limit) : text;
  if (!/^\s*[[{]/.test(input)) return { text: input, cut };
  let out = "";
  let depth = 0;
  let opened = false;
  const breakLine = () => `\n${"  ".repeat(Math.min(depth, DEEPEST_INDENT))}`;
  for (const token of tokensOf(input)) {
    const closes = token === "}" || token === "]";
    if (closes) depth = Math.max(0, depth - 1);
    // An empty object or array stays on one line.
    if (closes ? !opened : opened) out += breakLine();
    out += token;
    if (out.length > limit * MOST_GROWTH) return { text: out, cut: true };
    if (token === ":") out += " ";
    if (token === ",") out += breakLine();
    opened = token === "{" || token === "[";
    if (opened) depth++;
  }
  return { text: out, cut };
}

const MARKS = "{}[],:";

/** Strings whole, marks one by one, everything else in runs; white space between them is left out. */
function* tokensOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const from = at;
    if (text[at] === '"') at = endOfString(text, at);
    else if (MARKS.includes(text[at]!)) at++;
    else if (isBlank(text, at)) {
      at++;
      continue;
    } else
      while (at < text.length && text[at] !== '"' && !MARKS.includes(text[at]!) && !isBlank(text, at)) at++;
    yield text.slice(from, at);
  }
}

const isBlank = (text: string, at: number) => /\s/.test(text[at]!);

/** Just behind the closing quote; by hand, for a regular expression runs out of stack on a string of megabytes. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
