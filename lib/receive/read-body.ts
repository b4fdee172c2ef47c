import type { BodyLease } from "./body-budget.ts";

export type BodyRead =
  | { ok: true; body: Buffer }
  | { ok: false; reason: "body_too_large" | "body_truncated" | "overloaded"; bytes: number };

/**
 * Reads at most `limit` bytes and stops at the first one beyond, whatever Content-Length claims, so memory stays
 * flat. A stream that throws or ends before `contentLength` bytes is truncated.
 */
export async function readBody(
  stream: AsyncIterable<Uint8Array> | null,
  limit: number,
  contentLength: number | null,
  lease?: BodyLease,
): Promise<BodyRead> {
  if (contentLength !== null && contentLength > limit)
    return { ok: false, reason: "body_too_large", bytes: contentLength };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream ?? []) {
      bytes += chunk.length;
      if (bytes > limit) return { ok: false, reason: "body_too_large", bytes };
      if (lease?.allows(bytes) === false) return { ok: false, reason: "overloaded", bytes };
      chunks.push(chunk);
    }
  } catch {
    return { ok: false, reason: "body_truncated", bytes };
  }
  if (contentLength !== null && bytes < contentLength) return { ok: false, reason: "body_truncated", bytes };
  return { ok: true, body: chunks.length === 1 ? Buffer.from(chunks[0]!) : Buffer.concat(chunks, bytes) };
}

/** A Content-Length header as bytes; null when absent or not a plain number. */
export function parseContentLength(text: string | null): number | null {
  return text !== null && /^[0-9]{1,15}$/.test(text) ? Number(text) : null;
}
