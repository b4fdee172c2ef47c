import { type JsonValue, parseJson } from "#lib/json.ts";
import { type JsonPath, readJsonPath } from "./json-path.ts";

export type TimeUnit = "s" | "ms" | "iso";

const SHAPES: Record<TimeUnit, RegExp> = {
  s: /^[1-9][0-9]{0,10}$/,
  ms: /^[1-9][0-9]{0,13}$/,
  iso: /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})$/,
};

/** Milliseconds since the epoch, or null when the text is no timestamp of this unit. One spelling per number. */
export function readTimestamp(text: string, unit: TimeUnit): number | null {
  if (!SHAPES[unit].test(text)) return null;
  const milliseconds = unit === "iso" ? Date.parse(text) : Number(text) * (unit === "s" ? 1000 : 1);
  return Number.isFinite(milliseconds) ? milliseconds : null;
}

/** A moment in the sender's spelling. */
export function writeTimestamp(moment: Date, unit: TimeUnit): string {
  if (unit === "iso") return moment.toISOString();
  return String(unit === "ms" ? moment.getTime() : Math.floor(moment.getTime() / 1000));
}

/**
 * Milliseconds by which `moment` is behind `now`; negative when it is ahead. Whole seconds where the sender counts in
 * seconds: half a second of ours must not push a timestamp over the tolerance.
 */
export function measureSkew(moment: number, now: Date, unit: TimeUnit): number {
  const present = unit === "s" ? Math.floor(now.getTime() / 1000) * 1000 : now.getTime();
  return present - moment;
}

/** The timestamp inside a body whose signature was verified, as text; null when there is none. */
export function readBodyTimestamp(body: Buffer, path: JsonPath): string | null {
  const parsed = parseJson(body);
  const value: JsonValue | undefined = parsed.ok ? readJsonPath(parsed.value, path) : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
