/** PostgreSQL's text of a timestamptz as ISO 8601, with all its microseconds. */
export function toIsoTime(text: string): string {
  return text
    .replace(" ", "T")
    .replace(/\+00(:?00)?$/, "Z")
    .replace(/([+-]\d\d)$/, "$1:00");
}

export const toIsoTimeOrNull = (text: string | null): string | null =>
  text === null ? null : toIsoTime(text);
