import type { Channel, FailureClass, InboxStatus, Mode, OutboxStatus, Outcome } from "#db/states.ts";

export type InvoiceKey = {
  source: string;
  /** With ~test in test mode. */
  account: string;
  invoice: string;
};

/** Everything that is known about one invoice, in the order in which it happened. Plain JSON. */
export type InvoiceTrace = InvoiceKey & {
  mode: Mode | null;
  /** Where the grant went; null while there is none. */
  workspace: { id: string; name: string } | null;
  /** What support can read to a customer. */
  sentence: string;
  items: TraceItem[];
  /** False where so much happened that only the first part is here. */
  complete: boolean;
};

type Base = {
  /** Unique in the trace, and stable. */
  id: string;
  /** ISO 8601 with microseconds. */
  at: string;
  title: string;
  why: string | null;
  /** Milliseconds, fractions kept; null for what has no length. */
  durationMs: number | null;
  /** uuid of the inbox event that it belongs to. */
  event: string | null;
};

export type ReceiptItem = Base & {
  kind: "receipt";
  eventId: string;
  type: string;
  status: InboxStatus;
  outcome: Outcome | null;
  failureClass: FailureClass | null;
  attempts: number;
  nextAttemptAt: string | null;
  deliveries: number;
};

export type DeliveryItem = Base & { kind: "delivery"; ordinal: number; origin: string };
export type ConflictItem = Base & { kind: "conflict"; seen: number; resolvedAt: string | null };
export type AttemptItem = Base & { kind: "attempt"; result: string };
export type ReplayItem = Base & {
  kind: "replay";
  result: string;
  actor: string;
  reason: string | null;
  operation: string | null;
};
/** `by` is the uuid of the receipt that made it, where it was another one. */
export type EffectItem = Base & { kind: "effect"; effect: string; outcome: Outcome; by: string | null };
/** `amount` in signed credits, as digits: it may be larger than a double holds. */
export type EntryItem = Base & {
  kind: "entry";
  operation: string;
  amount: string;
  workspace: { id: string; name: string };
  paidAmount: string | null;
  paidCurrency: string | null;
  confirmationOmitted: string | null;
  /** Credits that a reversal was to take and could not, as digits; "0" where there are none. */
  shortfall?: string;
};
/** A payment that is known to have paid the invoice; `event` said so, or a person where it is null. */
export type LinkItem = Base & { kind: "link"; payment: string };
export type MessageItem = Base & {
  kind: "message";
  channel: Channel;
  destination: string;
  topic: string;
  purpose: string;
  operation: string;
  status: OutboxStatus;
  finishedAt: string | null;
};
export type NoteItem = Base & { kind: "note"; author: string; text: string };

export type TraceItem =
  | ReceiptItem
  | DeliveryItem
  | ConflictItem
  | AttemptItem
  | ReplayItem
  | EffectItem
  | EntryItem
  | LinkItem
  | MessageItem
  | NoteItem;
