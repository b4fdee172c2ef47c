import { cleanText } from "#lib/json.ts";

/**
 * One line out of any text: line breaks, tabs and other control characters become spaces, and so do the separators and
 * direction marks that can make a reader see another text. At most `most` characters.
 */
export function oneLine(text: string, most = 200): string {
  return cap(
    cleanText(text)
      .replace(/[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
      .replace(/ {2,}/g, " ")
      .trim(),
    most,
  );
}

/** Text with line breaks; no other control characters. At most `most` characters. */
export function plainText(text: string, most = 2_000): string {
  return cap(
    text
      .split(/\r\n|[\r\n\u2028\u2029]/)
      .map((line) => oneLine(line, most))
      .join("\n")
      .trim(),
    most,
  );
}

/** The three characters that mean something in Slack's text: links, mentions and special commands begin with "<". */
export const escapeSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A character is never halved: half a pair at the cut goes as well. */
function cap(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
