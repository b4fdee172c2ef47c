/**
 * PostgreSQL's text of a timestamptz as ISO 8601. Always with six digits (PostgreSQL leaves out zeros at the end), so
 * that texts of one zone sort as their times do.
 */
export function toIsoTime(text: string): string {
  const match = /^(.+)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(.*)$/.exec(text);
  if (!match) return text;
  const [, day, clock, fraction = "", zone = ""] = match;
  return `${day}T${clock}.${fraction.padEnd(6, "0")}${zoneOf(zone)}`;
}

export const toIsoTimeOrNull = (text: string | null): string | null =>
  text === null ? null : toIsoTime(text);

function zoneOf(text: string): string {
  if (/^(Z|[+-]00(:?00)?)$/.test(text)) return "Z";
  return text.length === 3 ? `${text}:00` : text;
}
