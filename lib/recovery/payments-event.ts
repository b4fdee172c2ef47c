import type { JsonValue } from "#lib/json.ts";
import { canonicalJson } from "#lib/sources/canonical-json.ts";
import { contractSchema } from "#lib/sources/contract-schema.ts";
import { type JsonPath, parseJsonPath } from "#lib/sources/json-path.ts";
import { paymentsPreset } from "#lib/sources/payments.ts";
import { writeJsonPath } from "#lib/sources/write-json-path.ts";

const TYPE = "TRANSACTION_SUCCEEDED";

/**
 * The event that a transaction of the list would have been, in the words of the source's contract: the transaction's
 * own members, and where the contract looks for them the event's id and type. The id is one of our own making and the
 * same each time, so that a repeated repair is a duplicate.
 */
export function writeTransactionEvent(item: JsonValue, subject: string, contract: unknown): Buffer {
  const parsed = contractSchema.safeParse(contract);
  const { event } = parsed.success && parsed.data.event ? parsed.data : paymentsPreset;
  const root = { ...(item as Record<string, JsonValue>), status: "SUCCEEDED" };
  const write = (path: JsonPath | null, value: JsonValue) => path && writeJsonPath(root, path, value);
  if (event && "path" in event.id) write(firstPath(event.id.path), `reconciliation:${subject}:succeeded`);
  if (event && "path" in event.type) write(firstPath(event.type.path), TYPE);
  if (event?.subject) write(firstPath(event.subject), subject);
  return Buffer.from(canonicalJson(root));
}

function firstPath(paths: string | readonly string[]): JsonPath | null {
  const parsed = parseJsonPath(typeof paths === "string" ? paths : paths[0]!);
  return parsed.ok ? parsed.path : null;
}
