import type { FailureClass, Mode, ReturnKind, ReturnState, SourceKind, WaitsKind } from "#db/states.ts";
import type { NoticeBody } from "#lib/channels/notice.ts";
import type { JsonValue } from "#lib/json.ts";
import type { SourceSettings } from "#lib/sources/settings.ts";
import type { Facts, Need, PaymentNeed } from "./facts.ts";

export type * from "./facts.ts";

/** An inbox event as an effect sees it. */
export type EffectEvent = {
  /** uuid of the inbox row. */
  id: string;
  kind: SourceKind;
  sourceId: string;
  account: string;
  /** The tenant that the verified account belongs to. */
  tenantId: string;
  mode: Mode;
  type: string;
  /** The sender's id of the event. */
  eventId: string;
  subject: string | null;
  payload: JsonValue;
  settings: SourceSettings;
  /** The sender contract of contract-driven kinds, as stored; null follows the kind's preset. */
  contract?: unknown;
};

export type EntryDraft = {
  subject: string;
  operation: string;
  /** Signed credits. */
  amount: bigint;
  /** Credits that were to be taken and could not be, under a floor; signed like a debt. */
  shortfall?: bigint;
  workspaceId: string;
  paidAmount: bigint | null;
  paidCurrency: string | null;
  confirmationOmitted: string | null;
};

/** A built-in e-mail: its destination is an address. */
export type MessageDraft = {
  topic: string;
  channel: "email";
  destination: string;
  purpose: string;
  operation: string;
  subject: string;
  content: { subject: string; text: string };
};

type Untold<Body> = Body extends { topic: "feedback.alert"; data: infer Data }
  ? { topic: "feedback.alert"; data: Omit<Data, "alert"> }
  : Body;

/** What is to be told to every destination that subscribes to the topic. The writer adds what only it knows. */
export type IntentDraft = { subject: string; operation: string; purpose: string } & Untold<
  Extract<NoticeBody, { topic: "credit.granted" | "credit.reversed" | "feedback.alert" }>
>;

/** Payment → invoice, by the sender's ids. */
export type PaymentLink = { payment: string; invoice: string };

export type ReturnDraft = {
  invoice: string;
  kind: ReturnKind;
  reference: string;
  payment: string;
  amount: bigint;
  state: ReturnState;
};

/** A projection as it is to be; `mark` leaves the state alone and asks the refresher for it. */
export type ProjectionDraft = {
  kind: "subscription" | "transaction";
  id: string;
  customer: string | null;
  mark: boolean;
  state: {
    status: string;
    version: bigint | null;
    statedAt: bigint | null;
    amount: bigint | null;
    currency: string | null;
  } | null;
};

export type FeedbackDraft = {
  feedbackId: string;
  category: string | null;
  text: string | null;
  escalated: boolean;
  /** Operation of the alert that this event makes; null where it makes none. */
  alert: string | null;
};

/** What follows from a verdict. All of it commits with the event, or none. */
export type Changes = {
  entries?: EntryDraft[];
  messages?: MessageDraft[];
  intents?: IntentDraft[];
  links?: PaymentLink[];
  returns?: ReturnDraft[];
  projections?: ProjectionDraft[];
  feedback?: FeedbackDraft[];
};

/** What an effect decided: a verdict with one sentence why, and what follows from it. Nothing is written yet. */
export type Decision =
  | {
      kind: "applied" | "linked" | "not_eligible" | "stale";
      why: string;
      changes?: Changes;
      subject?: string;
    }
  | { kind: "already_applied"; why: string; byEventId: string; changes?: Changes; subject?: string }
  | { kind: "wait"; why: string; waitsKind: WaitsKind; waitsKey: string; subject?: string }
  | {
      kind: "fail";
      why: string;
      failureClass: Extract<FailureClass, "invalid" | "mismatch">;
      subject?: string;
    };

/** What `read` made of a payload: the effect's own input, or why the payload does not have the shape it needs. */
export type Reading<Input> = { ok: true; input: Input } | { ok: false; why: string };

/** One business operation. Pure: no database, no clock, no network. */
export type Effect<Input = unknown> = {
  name: string;
  /** The event types it takes, per kind of sender. */
  takes: Partial<Record<SourceKind, readonly string[]>>;
  /** Kinds whose contract says which types it takes: those of its catalogue that name this effect. */
  takesByContract?: readonly SourceKind[];
  read(event: EffectEvent): Reading<Input>;
  /** Payments whose invoice has to be known before it can say what to lock and what to ask for. */
  resolves?(event: EffectEvent, input: Input): PaymentNeed[];
  /** What two events must not decide at the same time: taken as transaction locks before facts are loaded. */
  lockKeys(event: EffectEvent, input: Input, resolved: Pick<Facts, "payment">): string[];
  needs(event: EffectEvent, input: Input, resolved: Pick<Facts, "payment">): Need[];
  decide(event: EffectEvent, input: Input, facts: Facts): Decision;
};
