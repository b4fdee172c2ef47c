export type Encoding = "hex" | "base64" | "base64url";

/** Upper or lower case, never mixed: so that no two spellings of one signature differ in a single letter. */
const HEX = /^(?:[0-9a-f]{2})*$|^(?:[0-9A-F]{2})*$/;

/**
 * Decodes only canonical text, else null. Buffer.from skips what it does not know, which turns a damaged secret into
 * an empty key and a damaged signature into another one. Padding of base64 may be there or not.
 */
export function decodeStrictly(text: string, encoding: Encoding): Buffer | null {
  if (encoding === "hex") return HEX.test(text) ? Buffer.from(text, "hex") : null;
  const bytes = Buffer.from(text, encoding);
  const bare = bytes.toString(encoding).replace(/=+$/, "");
  const padded = bare + "=".repeat((4 - (bare.length % 4)) % 4);
  return text === bare || text === padded ? bytes : null;
}
