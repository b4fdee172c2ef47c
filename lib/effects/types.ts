import type { FailureClass, Mode, SourceKind, WaitsKind } from "#db/states.ts";
import type { JsonValue } from "#lib/json.ts";
import type { SourceSettings } from "#lib/sources/settings.ts";

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
};

export type LinkFact = {
  workspaceId: string;
  workspaceName: string;
  tenantId: string;
  contact: string | null;
} | null;

export type EntryFact = {
  amount: bigint;
  workspaceId: string;
  paidAmount: bigint | null;
  paidCurrency: string | null;
  mode: string;
  byEventId: string;
  byExternalId: string;
  byType: string;
  at: string;
} | null;

/** What an effect asks to know; loaded in one query per kind for the whole batch. */
export type Need =
  | { kind: "link"; sourceId: string; account: string; customer: string }
  | { kind: "entry"; sourceId: string; account: string; subject: string; operation: string };

export type Facts = {
  link(need: Omit<Extract<Need, { kind: "link" }>, "kind">): LinkFact;
  entry(need: Omit<Extract<Need, { kind: "entry" }>, "kind">): EntryFact;
};

export type EntryDraft = {
  subject: string;
  operation: string;
  amount: bigint;
  workspaceId: string;
  paidAmount: bigint | null;
  paidCurrency: string | null;
  confirmationOmitted: string | null;
};

export type MessageDraft = {
  topic: string;
  channel: "email";
  destination: string;
  purpose: string;
  operation: string;
  subject: string;
  content: { subject: string; text: string };
};

/** What an effect decided: a verdict with one sentence why, and what follows from it. Nothing is written yet. */
export type Decision =
  | { kind: "apply"; why: string; entry: EntryDraft; messages: MessageDraft[] }
  | { kind: "already_applied"; why: string; byEventId: string }
  | { kind: "not_eligible"; why: string }
  | { kind: "wait"; why: string; waitsKind: WaitsKind; waitsKey: string }
  | { kind: "fail"; why: string; failureClass: Extract<FailureClass, "invalid" | "mismatch"> };

/** What `read` made of a payload: the effect's own input, or why the payload does not have the shape it needs. */
export type Reading<Input> = { ok: true; input: Input } | { ok: false; why: string };

/** One business operation. Pure: no database, no clock, no network. */
export type Effect<Input = unknown> = {
  name: string;
  /** The event types it takes, per kind of sender. */
  takes: Partial<Record<SourceKind, readonly string[]>>;
  read(event: EffectEvent): Reading<Input>;
  /** What two events must not decide at the same time: taken as a transaction lock before facts are loaded. */
  lockKey(event: EffectEvent, input: Input): string;
  needs(event: EffectEvent, input: Input): Need[];
  decide(event: EffectEvent, input: Input, facts: Facts): Decision;
};
