import type { FailureClass, InboxStatus, Mode, Outcome, SourceKind, WaitsKind } from "#db/states.ts";
import type { Lane } from "./lanes.ts";

/** An inbox row as the worker loads it, with its body and what its source says. */
export type InboxRow = {
  id: string;
  sourceId: string;
  kind: SourceKind;
  account: string;
  /** Null when the account is not configured (any more). */
  tenantId: string | null;
  mode: Mode;
  type: string;
  subject: string | null;
  eventId: string;
  status: InboxStatus;
  outcome: Outcome | null;
  waitsKind: WaitsKind | null;
  failureClass: FailureClass | null;
  lane: Lane;
  attempts: number;
  /** Of the present retry round. */
  roundAttempts: number;
  settings: unknown;
  /** Text, with microseconds. */
  receivedAt: string;
  traceparent: string | null;
  /** The sender contract of kinds whose catalogue of types names effects; else null. */
  contract: unknown;
  /** When the transaction that loaded it began, on the database's clock. */
  claimedAt: string;
  /** How many rows the claim of due rows locked: more than it loaded, where their bodies are too large together. */
  lockedRows?: number;
  /** Null when it has expired. */
  body: Buffer | null;
  /** The kept request headers by lower-case name; null with an expired body. */
  headers: Record<string, string> | null;
};

/** Columns of InboxRow, over inbox_events e, sources s, source_accounts a (left), inbox_bodies b (left). */
export const ROW_COLUMNS = `
  e.id, e.source_id as "sourceId", s.kind, e.account, a.tenant_id as "tenantId", e.mode, e.type, e.subject,
  e.event_id as "eventId", e.status, e.outcome, e.attempts,
  e.round_attempts as "roundAttempts", e.waits_kind as "waitsKind", e.failure_class as "failureClass", e.lane, s.settings,
  case when s.kind in ('sinalio', 'hmac') then s.contract end as contract, e.received_at as "receivedAt",
  e.traceparent, now() as "claimedAt", b.body, b.headers`;

export const ROW_JOINS = `
  join sources s on s.id = e.source_id
  left join source_accounts a on a.source_id = e.source_id and a.account = e.account
  left join inbox_bodies b on b.expires_on = e.body_expires_on and b.inbox_event_id = e.id`;
