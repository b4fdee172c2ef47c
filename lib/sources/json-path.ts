import type { JsonValue } from "#lib/json.ts";

/** Names are members of objects, numbers are positions in arrays. */
export type JsonPath = readonly (string | number)[];

export type JsonPathResult = { ok: true; path: JsonPath } | { ok: false; why: string };

const LIMITS = { length: 256, steps: 16 };

/** One step at a time, anchored: .name, name (only first), [12], ["quoted name"]. */
const STEP = /\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(0|[1-9][0-9]{0,4})\]|\[("(?:[^"\\]|\\["\\])*")\]/y;

/**
 * Reads a path such as `data.items[0].id` or `["odd name"].id`. That is the whole language: no wildcards, filters or
 * functions, so a path costs nothing to run and leads to at most one value.
 */
export function parseJsonPath(text: string): JsonPathResult {
  if (text.length > LIMITS.length) return { ok: false, why: `is longer than ${LIMITS.length} characters` };
  if (text.startsWith("$")) return { ok: false, why: "must not begin with $: write data.id, not $.data.id" };
  const path: (string | number)[] = [];
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const step = STEP.exec(text);
    const dotted = step?.[0].startsWith(".") ?? false;
    const name = step?.[1];
    if (!step || (name !== undefined && dotted !== at > 0)) {
      return { ok: false, why: `is not readable from character ${at + 1} on` };
    }
    path.push(name ?? (step[2] !== undefined ? Number(step[2]) : (JSON.parse(step[3]!) as string)));
    at = STEP.lastIndex;
  }
  if (path.length === 0) return { ok: false, why: "is empty" };
  if (path.length > LIMITS.steps) return { ok: false, why: `has more than ${LIMITS.steps} steps` };
  if (path.includes("__proto__")) return { ok: false, why: "must not name __proto__" };
  return { ok: true, path };
}

/** The value at the end of the path, or undefined. Own members alone: nothing of Object.prototype is ever found. */
export function readJsonPath(value: JsonValue, path: JsonPath): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null) return undefined;
    if (Array.isArray(current) !== (typeof step === "number")) return undefined;
    if (!Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, JsonValue>)[step];
  }
  return current;
}
