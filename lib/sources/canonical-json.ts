import { createHash } from "node:crypto";
import type { JsonValue } from "#lib/json.ts";

/**
 * One text for all spellings of one JSON value: members sorted by code unit, no white space, escapes and numbers in
 * their shortest form, digits of large integers kept. Recursive: the depth is bounded by parseJson.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += (text === "" ? "" : ",") + canonicalJson(item);
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    text += `${(text === "" ? "" : ",") + quote(key)}:${canonicalJson(value[key]!)}`;
  }
  return `{${text}}`;
}

/** Text that needs no escape, which is nearly all of it: JSON.stringify for each took 1.5 to 2 times as long. */
const PLAIN = /^[ !#-[\]-~]*$/;
const quote = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** SHA-256 of the canonical form, hex. */
export function digestJson(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
