/**
 * The closed sets of CONTRACT §5. No imports, so that the browser can read them too; the CHECK constraints
 * of db/schema are made from the same lists.
 */

/** Who moves a row: the receiver inserts it, the worker settles it, a person closes what neither can. */
export const INBOX_STATUSES = [
  "pending", // receiver, replay or release; the worker takes it when next_attempt_at has come
  "waiting", // receiver or worker; whatever it waits for arms it again in its own transaction
  "done", // worker, in the transaction of the effect; final
  "ignored", // receiver or worker: authentic, but nothing takes it; a replay may
  "failed", // worker: invalid, exhausted, mismatch or poison; a person or a redelivery arms it again
  "quarantined", // receiver: cannot be used as it came; a person decides
  "dismissed", // a person, with a reason; final
] as const;
export type InboxStatus = (typeof INBOX_STATUSES)[number];

export const FAILURE_CLASSES = ["invalid", "exhausted", "mismatch", "poison"] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

export const WAITS_KINDS = ["link", "account", "contract", "event"] as const;
export type WaitsKind = (typeof WAITS_KINDS)[number];

export const OUTCOMES = ["applied", "already_applied", "not_eligible", "linked", "stale"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const OUTBOX_STATUSES = [
  "pending", // intent committed with its effect, or armed again; the dispatcher takes it
  "sending", // dispatcher: leased and about to be called
  "sent", // dispatcher or a person; final
  "unknown", // dispatcher: bytes may have left and no answer came; the destination's policy or a person decides
  "rejected", // dispatcher: the destination said no for good
  "abandoned", // dispatcher: the window is over; a forced retry may still try once
  "cancelled", // a person; final
] as const;
export type OutboxStatus = (typeof OUTBOX_STATUSES)[number];

export const CHANNELS = ["email", "slack", "webhook", "nats"] as const;
export type Channel = (typeof CHANNELS)[number];

export const SOURCE_KINDS = [
  "stripe",
  "github",
  "standard-webhooks",
  "payments",
  "sinalio",
  "hmac",
  "manual",
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export const SOURCE_STATUSES = ["active", "paused"] as const;
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

export const MODES = ["live", "test"] as const;
export type Mode = (typeof MODES)[number];

/** Why a request was turned away; kept in the rejection log and counted, never told to the sender. */
export const REJECTION_REASONS = [
  "unknown_source",
  "no_usable_secret",
  "signature_missing",
  "signature_malformed",
  "signature_mismatch",
  "timestamp_stale",
  "body_too_large",
  "body_truncated",
  "unsupported_encoding",
  "method_not_allowed",
  "overloaded",
] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** The verdict that a dry run or a replay tells (CONTRACT §9). */
export const VERDICTS = [
  "would_apply",
  "applied",
  "already_applied",
  "not_eligible",
  "blocked",
  "stale",
  "linked",
] as const;
export type Verdict = (typeof VERDICTS)[number];
