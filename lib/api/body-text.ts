export type BodyText = { encoding: "utf8" | "base64"; text: string };

/**
 * Bytes as JSON can carry them: as text when they are UTF-8, with every digit and a byte order mark as received, else
 * in base64. `isCut`: the bytes are only the beginning, so a character that was cut in two at their end is left out.
 */
export function toBodyText(body: Uint8Array, isCut = false): BodyText {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { encoding: "utf8", text: decoder.decode(body, { stream: isCut }) };
  } catch {
    return { encoding: "base64", text: Buffer.from(body).toString("base64") };
  }
}
