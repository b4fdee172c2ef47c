import { isOutage, sqlState } from "#db/errors.ts";
import type { WaitsKind } from "#db/states.ts";
import { describeError } from "#lib/telemetry/log.ts";

/** What a failed try says about its row. `why` is the cause in one line, without payload. */
export type Failure =
  /** May succeed later: locks, conflicts, faults of ours that a new version mends. */
  | { kind: "transient"; why: string }
  /** The data can never be written: no later try would help. */
  | { kind: "permanent"; why: string }
  /** Something must be there first, and its coming releases the row. */
  | { kind: "waiting"; why: string; waitsKind: WaitsKind; waitsKey: string }
  /** It exhausted what the whole process lives on, and was caught by luck. */
  | { kind: "poison"; why: string };

/** Thrown where no decision can be returned and something else must come first; the row then waits for it. */
export class NotYet extends Error {
  override name = "NotYet";
  readonly waitsKind: WaitsKind;
  readonly waitsKey: string;
  constructor(waitsKind: WaitsKind, waitsKey: string, why: string) {
    super(why);
    this.waitsKind = waitsKind;
    this.waitsKey = waitsKey;
  }
}

/** A statement that ran into its time limit may be one row's fault, so it is looked for; any other outage is nobody's. */
const QUERY_CANCELED = "57014";

/** The database or the way to it failed, whatever rows were at hand: that uses up nobody's attempts. */
export function isNobodysFault(error: unknown): boolean {
  return sqlState(error) !== QUERY_CANCELED && isOutage(error);
}

/** Values that PostgreSQL cannot keep (22), limits of a statement or a row (54), NULL or CHECK refused (23502, 23514). */
const NEVER_WRITABLE = /^(22|54|23502|23514)/;
const EXHAUSTION =
  /^(Maximum call stack size exceeded|Array buffer allocation failed|Invalid (string|array) length)/;

/** Of an error that is a row's own. */
export function classifyFailure(error: unknown): Failure {
  const why = describeFailure(error);
  if (error instanceof NotYet) {
    return { kind: "waiting", why: error.message, waitsKind: error.waitsKind, waitsKey: error.waitsKey };
  }
  if (NEVER_WRITABLE.test(sqlState(error) ?? "")) return { kind: "permanent", why };
  const { name, message } = describeError(error);
  if (name === "RangeError" && EXHAUSTION.test(message)) return { kind: "poison", why };
  return { kind: "transient", why };
}

/** What the failure makes of its row: `next` is a further try, counted as a crash or not, or the state it ends in. */
export type Disposition = {
  next: "retry" | "crash" | "failed" | "waiting";
  failureClass: "invalid" | null;
  waitsKind: WaitsKind | null;
  waitsKey: string | null;
  why: string;
};

/** The one place where kinds of failure become states. */
export function disposeOf(failure: Failure): Disposition {
  const { why } = failure;
  const base = { failureClass: null, waitsKind: null, waitsKey: null, why };
  switch (failure.kind) {
    case "transient":
      return { ...base, next: "retry" };
    case "permanent":
      return { ...base, next: "failed", failureClass: "invalid" };
    case "waiting":
      return { ...base, next: "waiting", waitsKind: failure.waitsKind, waitsKey: failure.waitsKey };
    case "poison":
      return { ...base, next: "crash" };
    default:
      return failure satisfies never;
  }
}

/** The cause in one line, without parameters: those are payloads. */
export function describeFailure(error: unknown): string {
  const { code, message, name } = describeError(error);
  return `${code ?? name}: ${message}`.slice(0, 500);
}
