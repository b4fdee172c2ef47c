import type { Outcome, ReceiptOrigin } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { type BodyText, toBodyText } from "../body-text.ts";
import { toIsoTime } from "../iso-time.ts";
import { columns, type InboxItem, toInboxItem } from "./list-inbox.ts";

export type EventDetail = InboxItem & {
  apiVersion: string | null;
  bodyBytes: number;
  /** SHA-256 in hex. */
  bodyDigest: string;
  secretFingerprint: string | null;
  /** How the first delivery came. */
  origin: ReceiptOrigin;
  traceparent: string | null;
  headers: Record<string, string> | null;
  /** The bytes as received; text keeps every digit as it came. Null when they have expired. */
  body: BodyText | null;
  effects: { effect: string; outcome: Outcome; why: string; byEvent: string | null; at: string }[];
  /** Every try and replay, oldest first; `attempts` of the row is their number. */
  attemptLog: AttemptRow[];
  deliveries: { count: number; newest: DeliveryRow[] };
  /** How many other contents came under this event id. */
  conflicts: number;
};

type AttemptRow = {
  kind: "process" | "replay";
  startedAt: string;
  finishedAt: string;
  result: string;
  why: string | null;
  actor: string | null;
  reason: string | null;
  operation: string | null;
};

type DeliveryRow = { ordinal: number; receivedAt: string; origin: string; sameBytes: boolean };

/** The newest of a long history; its rows are never deleted. */
const ATTEMPTS_SHOWN = 500;

/** One event with everything that belongs to it, or null. */
export async function getEvent(sql: Executor, id: string): Promise<EventDetail | null> {
  const [row] = await sql`
    select ${columns(sql)}, api_version as "apiVersion", body_bytes as "bodyBytes",
      encode(body_digest, 'hex') as "bodyDigest", secret_fingerprint as "secretFingerprint", origin, traceparent,
      body.headers, body.body,
      coalesce((select count from inbox_delivery_counts where inbox_event_id = id), 1)::int as deliveries,
      (select count(*) from inbox_conflicts where inbox_event_id = id)::int as conflicts
    from inbox_events
    left join inbox_bodies body on body.expires_on = body_expires_on and body.inbox_event_id = id
    where id = ${id}`;
  if (!row) return null;
  const { body, deliveries, ...item } = row;
  return {
    ...toInboxItem(item as InboxItem & Omit<EventDetail, keyof InboxItem>),
    body: body ? toBodyText(body) : null,
    effects: await loadEffects(sql, id),
    attemptLog: await loadAttempts(sql, id),
    deliveries: { count: deliveries, newest: await loadDeliveries(sql, id) },
  };
}

async function loadEffects(sql: Executor, id: string): Promise<EventDetail["effects"]> {
  const rows = await sql<EventDetail["effects"]>`
    select effect, outcome, why, by_event_id as "byEvent", at from inbox_effects
    where inbox_event_id = ${id} order by at, effect`;
  return rows.map((row) => ({ ...row, at: toIsoTime(row.at) }));
}

async function loadAttempts(sql: Executor, id: string): Promise<AttemptRow[]> {
  const rows = await sql<AttemptRow[]>`
    select kind, started_at as "startedAt", finished_at as "finishedAt", result, why, actor, reason,
      operation_id as operation
    from inbox_attempts where inbox_event_id = ${id} order by id desc limit ${ATTEMPTS_SHOWN}`;
  return rows
    .map((row) => ({ ...row, startedAt: toIsoTime(row.startedAt), finishedAt: toIsoTime(row.finishedAt) }))
    .reverse();
}

async function loadDeliveries(sql: Executor, id: string): Promise<DeliveryRow[]> {
  const rows = await sql<DeliveryRow[]>`
    select ordinal::int, delivery.received_at as "receivedAt", delivery.origin,
      delivery.body_digest = event.body_digest as "sameBytes"
    from inbox_deliveries delivery join inbox_events event on event.id = delivery.inbox_event_id
    where delivery.inbox_event_id = ${id} order by ordinal`;
  return rows.map((row) => ({ ...row, receivedAt: toIsoTime(row.receivedAt) }));
}
