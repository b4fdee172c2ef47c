/** Texts that came from outside, made safe to read. Never markup: the pages put them into text nodes. */

/** A run of plain text, or one character that would be invisible or would reorder its neighbours. */
export type TextPart = { text: string } | { mark: string };

/**
 * Controls, line and paragraph separators, zero-width characters, bidirectional overrides and isolates, the byte
 * order mark, tags and lone surrogates: what can hide text, break lines or turn a name around.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u;
const HIDDEN_ALL = new RegExp(HIDDEN.source, "gu");

/** A body of nothing but hidden characters must not become a hundred thousand elements. */
const MOST_MARKS = 500;

/** Splits a text so that every hidden character becomes a mark such as "U+202E". Tab and line feed pass. */
export function revealText(text: string): TextPart[] {
  if (!HIDDEN.test(text)) return text === "" ? [] : [{ text }];
  const parts: TextPart[] = [];
  let from = 0;
  let marks = 0;
  for (const match of text.matchAll(HIDDEN_ALL)) {
    if (++marks > MOST_MARKS) {
      parts.push({ text: text.slice(from).replace(HIDDEN_ALL, "\ufffd") });
      return parts;
    }
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ mark: codePoint(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** The same in one string, for places that take no elements (a page's title, an attribute). */
export function revealPlain(text: string): string {
  return revealText(text)
    .map((part) => ("text" in part ? part.text : `‹${part.mark}›`))
    .join("");
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** An id for a narrow column: its first and last characters, which are what people compare. */
export function shortId(id: string, head = 9, tail = 4): string {
  return id.length <= head + tail + 1 ? id : `${id.slice(0, head)}…${id.slice(-tail)}`;
}

/** An http(s) URL that can be linked, else null: javascript:, data: and the like stay plain text. */
export function linkable(url: string): string | null {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  const { protocol, username, password } = new URL(url);
  return (protocol === "https:" || protocol === "http:") && !username && !password ? url : null;
}

const numbers = new Intl.NumberFormat("en-GB");

export const number = (value: number | bigint): string => numbers.format(value).replaceAll(".", ",");

/** Lists count to this and no further. */
export const COUNT_CAP = 10_000;

/** "812" or, beyond the cap, "10,000+". */
export const capped = (count: number): string =>
  count > COUNT_CAP ? `${number(COUNT_CAP)}+` : number(count);

/** "1 row", "2 rows", "10,000+ rows". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${capped(count)} ${count === 1 ? one : many}`;
}

/** Bytes as "812 B", "1.5 kB", "2.0 MB". */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** Minor units as an amount: 1000 usd is "10.00 USD", 1000 jpy is "1000 JPY". Never through a float. */
export function money(minor: bigint | string, currency: string): string {
  const code = currency.toUpperCase();
  const digits = fractionDigits(code);
  const value = BigInt(minor);
  const text = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  return `${value < 0n ? "−" : ""}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ""} ${code}`;
}

function fractionDigits(code: string): number {
  try {
    const format = new Intl.NumberFormat("en", { style: "currency", currency: code });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
