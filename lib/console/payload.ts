import { prettyJson } from "./pretty-json.ts";
import { bytes } from "./text.ts";

export type PayloadView =
  | { kind: "text"; text: string; notice: string | null }
  | { kind: "hex"; text: string; notice: string }
  | { kind: "gone"; notice: string };

const TEXT_LIMIT = 100_000;
const HEX_LIMIT = 4_096;

/** A stored body as something to read: laid out when it is JSON, as bytes when it is no text. */
export function viewPayload(body: Uint8Array | null): PayloadView {
  if (body === null)
    return { kind: "gone", notice: "The body has expired; the receipt and what it did are kept." };
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    const shown = body.length > HEX_LIMIT ? `, the first ${bytes(HEX_LIMIT)} are shown` : "";
    return {
      kind: "hex",
      text: hexDump(body, HEX_LIMIT),
      notice: `Not valid UTF-8: ${bytes(body.length)}${shown}.`,
    };
  }
  const pretty = prettyJson(text, TEXT_LIMIT);
  const notice = pretty.cut ? `${bytes(body.length)} in all; the beginning is shown.` : null;
  return { kind: "text", text: pretty.text, notice };
}

/** Offset, sixteen bytes, and what of them is printable ASCII. */
export function hexDump(body: Uint8Array, limit: number): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(body.length, limit); at += 16) {
    const row = [...body.subarray(at, Math.min(at + 16, limit))];
    const hex = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${ascii}`);
  }
  return lines.join("\n");
}
