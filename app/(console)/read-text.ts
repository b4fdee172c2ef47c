/** One search parameter as a text that PostgreSQL takes; null for none, and for a repeated one its first. */
export function readText(value: string | string[] | undefined): string | null {
  const text = Array.isArray(value) ? value[0] : value;
  return text?.toWellFormed().replaceAll("\u0000", "\ufffd").trim().slice(0, 500) || null;
}

/** A part of the address, decoded; null when it cannot be an id. */
export function readSegment(value: string): string | null {
  try {
    return readText(decodeURIComponent(value));
  } catch {
    // A lone % is no encoding of anything.
    return null;
  }
}
