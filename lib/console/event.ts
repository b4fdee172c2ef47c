import type { Sql } from "#db/client.ts";
import type {
  ConflictResolution,
  FailureClass,
  InboxStatus,
  Mode,
  OutboxStatus,
  Outcome,
  ReceiptOrigin,
  SourceKind,
  WaitsKind,
} from "#db/states.ts";
import { PROJECTION, type ProjectionView } from "#lib/projections/describe.ts";
import { isUuid } from "./inbox-filter.ts";

export type EventRow = {
  id: string;
  sourceId: string;
  sourceName: string;
  kind: SourceKind;
  sourceStatus: "active" | "paused";
  account: string;
  eventId: string;
  type: string;
  mode: Mode;
  subject: string | null;
  apiVersion: string | null;
  status: InboxStatus;
  outcome: Outcome | null;
  failureClass: FailureClass | null;
  waitsKind: WaitsKind | null;
  waitsKey: string | null;
  why: string | null;
  attempts: number;
  nextAttemptAt: string | null;
  lastError: string | null;
  bodyBytes: number;
  bodyDigest: string;
  bodyExpiresOn: string;
  secretFingerprint: string | null;
  origin: ReceiptOrigin;
  traceparent: string | null;
  receivedAt: string;
  finishedAt: string | null;
  deliveries: number;
  /** Of the subscription or transaction that it is about. */
  projection: ProjectionView | null;
  now: string;
};

export async function loadEventRow(sql: Sql, id: string): Promise<EventRow | null> {
  if (!isUuid(id)) return null;
  const [row] = await sql<EventRow[]>`
    select e.id, e.source_id as "sourceId", s.name as "sourceName", s.kind, s.status as "sourceStatus", e.account,
      e.event_id as "eventId", e.type, e.mode, e.subject, e.api_version as "apiVersion", e.status, e.outcome,
      e.failure_class as "failureClass", e.waits_kind as "waitsKind", e.waits_key as "waitsKey", e.why, e.attempts,
      e.next_attempt_at as "nextAttemptAt", e.last_error as "lastError", e.body_bytes as "bodyBytes",
      encode(e.body_digest, 'hex') as "bodyDigest", e.body_expires_on::text as "bodyExpiresOn",
      e.secret_fingerprint as "secretFingerprint", e.origin, e.traceparent, e.received_at as "receivedAt",
      e.finished_at as "finishedAt", coalesce(d.count, 1)::int as deliveries,
      ${sql.unsafe(PROJECTION)} as projection, now() as now
    from inbox_events e join sources s on s.id = e.source_id
    left join inbox_delivery_counts d on d.inbox_event_id = e.id
    where e.id = ${id}::uuid`;
  return row ?? null;
}

export type AttemptRow = {
  id: string;
  kind: "process" | "replay";
  startedAt: string;
  finishedAt: string;
  result: string;
  why: string | null;
  worker: string | null;
  actor: string | null;
  reason: string | null;
};

export type DeliveryRow = { ordinal: number; receivedAt: string; origin: string; differs: boolean };
export type ConflictRow = {
  id: string;
  why: string;
  receivedAt: string;
  seen: number;
  resolvedAt: string | null;
  resolvedBy: string | null;
  resolution: ConflictResolution | null;
  reason: string | null;
  body: Uint8Array;
};
export type EffectRow = {
  effect: string;
  outcome: Outcome;
  why: string;
  at: string;
  byEventId: string | null;
  byExternalId: string | null;
};
export type MessageRow = {
  id: string;
  topic: string;
  channel: string;
  destination: string;
  status: OutboxStatus;
  attempts: number;
  createdAt: string;
};
export type EntryRow = {
  id: string;
  operation: string;
  amount: string;
  workspaceId: string;
  workspaceName: string;
  confirmationOmitted: string | null;
  createdAt: string;
};
export type RelatedRow = {
  id: string;
  eventId: string;
  type: string;
  status: InboxStatus;
  outcome: Outcome | null;
  attempts: number;
  receivedAt: string;
};
export type AuditRow = { id: string; at: string; actor: string; action: string; reason: string | null };

export type EventDetails = {
  attempts: AttemptRow[];
  deliveries: DeliveryRow[];
  conflicts: ConflictRow[];
  effects: EffectRow[];
  messages: MessageRow[];
  entries: EntryRow[];
  related: RelatedRow[];
  audit: AuditRow[];
};

/** Everything beside the row itself, in parallel. Each list is bounded: a duplicate may come ten thousand times. */
export async function loadEventDetails(sql: Sql, event: EventRow): Promise<EventDetails> {
  const { id } = event;
  const [attempts, deliveries, conflicts, effects, messages, entries, related, audit] = await Promise.all([
    sql<AttemptRow[]>`
      select a.id::text, a.kind, a.started_at as "startedAt", a.finished_at as "finishedAt", a.result, a.why,
        case when a.worker_id is null and a.kind = 'process' then 'the request itself'
          else 'worker ' || w.host || ' ' || w.pid end as worker, a.actor, a.reason
      from inbox_attempts a left join workers w on w.id = a.worker_id
      where a.inbox_event_id = ${id} order by a.id desc limit 50`,
    sql<DeliveryRow[]>`
      select ordinal::int, received_at as "receivedAt", origin, body is not null as differs
      from inbox_deliveries where inbox_event_id = ${id} order by ordinal desc limit 50`,
    sql<ConflictRow[]>`
      select id, why, received_at as "receivedAt", seen, resolved_at as "resolvedAt", resolved_by as "resolvedBy",
        resolution, reason, substring(body from 1 for 100000) as body
      from inbox_conflicts where inbox_event_id = ${id}
      order by resolved_at is not null, inbox_conflicts.received_at desc limit 10`,
    sql<EffectRow[]>`
      select f.effect, f.outcome, f.why, f.at, f.by_event_id as "byEventId", b.event_id as "byExternalId"
      from inbox_effects f left join inbox_events b on b.id = f.by_event_id
      where f.inbox_event_id = ${id} order by f.effect`,
    sql<MessageRow[]>`
      select id, topic, channel, destination, status, attempts, created_at as "createdAt" from outbox_messages
      where source_id = ${event.sourceId} and account = ${event.account} and subject = ${event.subject}
        and inbox_event_id = ${id}
      order by created_at limit 20`,
    sql<EntryRow[]>`
      select c.id, c.operation, c.amount::text, c.workspace_id as "workspaceId", w.name as "workspaceName",
        c.confirmation_omitted as "confirmationOmitted", c.created_at as "createdAt"
      from credit_entries c join workspaces w on w.id = c.workspace_id
      where c.inbox_event_id = ${id} order by c.created_at limit 20`,
    event.subject === null
      ? Promise.resolve([])
      : sql<RelatedRow[]>`
      select id, event_id as "eventId", type, status, outcome, attempts, received_at as "receivedAt" from inbox_events
      where subject = ${event.subject} and source_id = ${event.sourceId} and account = ${event.account} and id <> ${id}
      order by received_at desc limit 20`,
    sql<AuditRow[]>`
      select id::text, at, actor, action, reason from audit_entries
      where target in (${`inbox:${id}`}, ${`event:${id}`}, ${`inbox_event:${id}`}) order by id desc limit 20`,
  ]);
  return { attempts, deliveries, conflicts, effects, messages, entries, related, audit } as EventDetails;
}

/** The bytes as received, or null when they have expired. */
export async function loadBody(
  sql: Sql,
  event: { id: string; bodyExpiresOn: string },
): Promise<Uint8Array | null> {
  const [row] = await sql<{ body: Uint8Array }[]>`
    select substring(body from 1 for 200000) as body from inbox_bodies
    where expires_on = ${event.bodyExpiresOn}::date and inbox_event_id = ${event.id}`;
  return row?.body ?? null;
}
