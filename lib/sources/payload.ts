import { type JsonResult, parseJson } from "#lib/json.ts";
import type { HeaderReader, SourceAdapter } from "./types.ts";

/** The payload of a verified body: what a sender wrapped (a form, say) is unwrapped first. Never throws. */
export function readPayload(
  adapter: SourceAdapter | undefined,
  body: Buffer,
  header: HeaderReader,
): JsonResult {
  if (!adapter?.unwrap) return parseJson(body);
  const unwrapped = adapter.unwrap({ body, header });
  return unwrapped.ok ? parseJson(unwrapped.json) : unwrapped;
}
