/** The media type of a Content-Type header, lower case and without parameters; null when there is none. */
export function readMediaType(contentType: string | null): string | null {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  return type ? type : null;
}

/**
 * The bytes of the one field `name` in an application/x-www-form-urlencoded body. Works on bytes: decoding to text
 * first would replace invalid UTF-8, and the JSON parser could no longer tell.
 */
export function readFormField(
  body: Buffer,
  name: string,
): { ok: true; value: Buffer } | { ok: false; why: string } {
  // latin1 maps each byte to one character and back, so no byte is lost on the way.
  const fields = body
    .toString("latin1")
    .split("&")
    .map((field) => field.split("="))
    .filter(([key]) => decodeField(key!).equals(Buffer.from(name)));
  if (fields.length === 0) return { ok: false, why: `the form has no field "${name}"` };
  if (fields.length > 1) return { ok: false, why: `the form has the field "${name}" more than once` };
  return { ok: true, value: decodeField(fields[0]!.slice(1).join("=")) };
}

/** "+" is a space, %XX a byte, and a "%" that begins no escape is itself (URL Standard, percent-decode). */
function decodeField(text: string): Buffer {
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1");
}
