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

/** How a person closed a conflict; `replaced` is the content that an accepted one took the place of. */
export const CONFLICT_RESOLUTIONS = ["accepted", "dismissed", "replaced"] as const;
export type ConflictResolution = (typeof CONFLICT_RESOLUTIONS)[number];

export const OPERATION_STATUSES = [
  "frozen", // a dry run fixed its items; starts with its token, or is forgotten when that expires
  "running", // confirmed; workers take its items from starts_at on
  "done", // a worker, when every item has its verdict
  "cancelled", // a person; items without a verdict were left alone
] as const;
export type OperationStatus = (typeof OPERATION_STATUSES)[number];

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

/** What happens to a send whose outcome nobody knows (CONTRACT §8). */
export const POLICIES = [
  "idempotent", // sent again under the same key, as long as the destination promises to remember it; then review
  "reconcile", // the destination's records are asked; where they cannot tell, review
  "duplicate-ok", // sent again: a second copy does no harm
  "review", // a person decides
] as const;
export type Policy = (typeof POLICIES)[number];

export const DESTINATION_STATUSES = [
  "active",
  "paused", // a person, with a reason; its messages wait, and the time does not count
  "disabled", // the destination answered 410, or a person; nothing new is addressed to it
] as const;
export type DestinationStatus = (typeof DESTINATION_STATUSES)[number];

/** What a row of an outgoing message's history is. */
export const ATTEMPT_KINDS = [
  "call", // dispatcher: the message was handed to its channel
  "check", // dispatcher: the destination's records were asked
  "lost", // whoever found the lease expired: the dispatcher did not come back
  "late", // dispatcher: it came back when its lease was over
  "decision", // a person
] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

export const SEND_RESULTS = [
  "accepted",
  "retry", // not taken, try again
  "down", // the destination fails as a whole: nothing is held against the message
  "rejected", // no for good
  "unknown", // nobody can tell
  "sent", // the four decisions of a person
  "resend",
  "retried",
  "cancelled",
] as const;
export type SendResult = (typeof SEND_RESULTS)[number];

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

/** Who a person is here (CONTRACT §10); lib/access/actions.ts says what each may do. */
export const ROLES = ["admin", "operator", "support", "viewer"] as const;
export type Role = (typeof ROLES)[number];

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

/** Money that went back: a refund or dispute with an id of its own, or a payment's running total. */
export const RETURN_KINDS = ["refund", "dispute", "total"] as const;
export type ReturnKind = (typeof RETURN_KINDS)[number];

/** In the order in which they move; a later one stays. */
export const RETURN_STATES = [
  "inquiry", // a dispute before any money moved
  "given", // a refund that was made or is under way, or a total
  "open", // a dispute whose money was withdrawn
  "lost", // a dispute
  "failed", // a refund that failed or was cancelled: the money came back
  "won", // a dispute whose money came back
] as const;
export type ReturnState = (typeof RETURN_STATES)[number];

/** Where a projection's state comes from. */
export const STATE_SOURCES = ["event", "fetch"] as const;
export type StateSource = (typeof STATE_SOURCES)[number];

export const FEEDBACK_STATUSES = [
  "new", // its first event
  "acknowledged", // a person
  "assigned", // a person
  "escalated", // an escalation of the sender
  "resolved", // a person
] as const;
export type FeedbackStatus = (typeof FEEDBACK_STATUSES)[number];

/** Who moves a run: asked for or planned as pending; the worker leases it, and ends it one way or another. */
export const RUN_STATUSES = [
  "pending", // asked for, planned, or to be tried again when next_attempt_at has come
  "running", // leased by a worker; taken over when the lease has run out
  "done", // compared to the end of its window
  "failed", // the sender refused for good, or never answered; nothing of it counts as compared
  "cancelled", // a person
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const RUN_TRIGGERS = ["request", "sweep", "restored"] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** The ways in which a sender's list, the receipts, the entries and the intents can disagree. */
export const GAP_CLASSES = [
  "no_receipt",
  "receipt_without_effect",
  "effect_without_paid_object",
  "amount_or_workspace_differs",
  "intent_unsent",
] as const;
export type GapClass = (typeof GAP_CLASSES)[number];

export const GAP_STATUSES = [
  "open", // found by a run; opened again by one that finds it again
  "closed", // a later run, or the check after a repair, found it gone
  "dismissed", // a person, with a reason
] as const;
export type GapStatus = (typeof GAP_STATUSES)[number];

/** How a receipt came to us. */
export const RECEIPT_ORIGINS = ["webhook", "reconciliation", "manual"] as const;
export type ReceiptOrigin = (typeof RECEIPT_ORIGINS)[number];
