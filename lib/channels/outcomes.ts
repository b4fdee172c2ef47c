import type { Evidence, FailureCode, SendOutcome } from "./types.ts";

/** Nothing was tried: no byte left, no answer came, no time passed. */
export const NOTHING_SENT: Evidence = { bytesLeft: false, status: null, responseBody: null, latencyMs: 0 };

/** An outcome is evidence too, where a channel knows better than what judged it first: only its facts go on. */
const facts = ({ bytesLeft, status, responseBody, latencyMs }: Evidence): Evidence => ({
  bytesLeft,
  status,
  responseBody,
  latencyMs,
});

export const accept = (evidence: Evidence, why: string): SendOutcome => ({
  kind: "accepted",
  why,
  ...facts(evidence),
});

export const reject = (evidence: Evidence, code: FailureCode, why: string): SendOutcome => ({
  kind: "rejected",
  code,
  why,
  ...facts(evidence),
});

export const leaveUnknown = (evidence: Evidence, code: FailureCode, why: string): SendOutcome => ({
  kind: "unknown",
  code,
  why,
  ...facts(evidence),
});

type Retry = Extract<SendOutcome, { kind: "retry" }>;

/** This message's attempt failed, and counts. */
export const failAttempt = (
  evidence: Evidence,
  code: FailureCode,
  why: string,
  after: number | null = null,
): Retry => ({ kind: "retry", blame: "message", code, why, after, disables: false, ...facts(evidence) });

/** Whatever goes to this destination now would fail too. */
export const blameDestination = (
  evidence: Evidence,
  code: FailureCode,
  why: string,
  rest: { after?: number | null; disables?: boolean } = {},
): Retry => ({
  kind: "retry",
  blame: "destination",
  code,
  why,
  after: rest.after ?? null,
  disables: rest.disables ?? false,
  ...facts(evidence),
});

/** This installation lacks a setting: nothing was tried. */
export const waitForSetup = (why: string): Retry => ({
  kind: "retry",
  blame: "setup",
  code: "not_configured",
  why,
  after: null,
  disables: false,
  ...NOTHING_SENT,
});
