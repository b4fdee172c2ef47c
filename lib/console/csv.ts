/** What a spreadsheet would take for a formula, also behind a quote or white space. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * One line of CSV (RFC 4180), CRLF at its end. Texts come from outside: one that a spreadsheet would run begins with an
 * apostrophe, which it shows as text.
 */
export function writeCsvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(writeCell).join(",")}\r\n`;
}

function writeCell(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(text) || text.trim() !== text ? `"${text.replaceAll('"', '""')}"` : text;
}
