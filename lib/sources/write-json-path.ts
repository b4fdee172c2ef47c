import type { JsonValue } from "#lib/json.ts";
import type { JsonPath } from "./json-path.ts";

type Container = JsonValue[] | { [key: string]: JsonValue };

/** Larger positions would make a document of nulls. */
const MOST_ITEMS = 100;

/**
 * Writes a value at a path into a document that is being made, with the objects and arrays on the way. False where
 * another path already put something else there.
 */
export function writeJsonPath(root: Container, path: JsonPath, value: JsonValue): boolean {
  let current: Container = root;
  for (const [at, step] of path.entries()) {
    if (Array.isArray(current) !== (typeof step === "number")) return false;
    if (typeof step === "number" && step >= MOST_ITEMS) return false;
    const members = current as Record<string | number, JsonValue>;
    const isLast = at === path.length - 1;
    if (!Object.hasOwn(members, step) || members[step] === null) {
      if (Array.isArray(current)) while (current.length < Number(step)) current.push(null);
      members[step] = isLast ? value : typeof path[at + 1] === "number" ? [] : {};
    } else if (isLast) return members[step] === value;
    const next: JsonValue = members[step]!;
    if (isLast) return true;
    if (typeof next !== "object" || next === null) return false;
    current = next;
  }
  return false;
}
