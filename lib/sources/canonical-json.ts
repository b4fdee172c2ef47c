import { createHash } from "node:crypto";
import type { JsonValue } from "#lib/json.ts";

/**
 * One text for all spellings of one JSON value: members sorted by code unit, no white space, escapes and numbers in
 * their shortest form, digits of large integers kept. Recursive: the depth is bounded by parseJson.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`).join(",")}}`;
}

/** SHA-256 of the canonical form, hex. */
export function digestJson(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
