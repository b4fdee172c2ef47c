import { randomBytes } from "node:crypto";

/** A place in a distributed trace, as the W3C's traceparent header spells it. Ids are lower-case hex. */
export type TraceContext = { traceId: string; spanId: string; sampled: boolean };

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)/;
const ZEROS = /^0+$/;

/** Null for what is no traceparent: a sender's mistake there is no reason to refuse its event. */
export function parseTraceparent(text: string | null): TraceContext | null {
  const match = TRACEPARENT.exec(text ?? "");
  if (!match || ZEROS.test(match[1]!) || ZEROS.test(match[2]!)) return null;
  return { traceId: match[1]!, spanId: match[2]!, sampled: (Number.parseInt(match[3]!, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** A new place in the trace of `parent`, or at the root of a new one. */
export function continueTrace(parent: TraceContext | null): TraceContext {
  const random = randomBytes(24).toString("hex");
  return {
    traceId: parent?.traceId ?? random.slice(16),
    spanId: random.slice(0, 16),
    sampled: parent?.sampled ?? true,
  };
}
