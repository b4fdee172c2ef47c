import type { Sql } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import type { InboxStatus } from "#db/states.ts";
import type { NumberedReceipt } from "./insert-receipts.ts";

/** The first receipt under a repeated key, its state, and whether the repetition says the same. */
export type Repeat = { id: string; first: string; status: InboxStatus; consistent: boolean };

/** Further deliveries of one event that are kept as rows; beyond that only their number is. */
export const DELIVERIES_KEPT = 50;

/**
 * Records deliveries whose event key was already there. A consistent one is counted, and arms an event that had run
 * out of retries, since somebody asked for it again. An inconsistent one is kept whole in inbox_conflicts.
 *
 * Runs after the insert, in a statement of its own: the snapshot of the insert cannot see the twin that it waited
 * for. It never updates an event that a worker may hold, so a redelivery does not wait for processing.
 */
export async function recordRepeats(sql: Sql, batch: readonly NumberedReceipt[]): Promise<Repeat[]> {
  const rows = JSON.stringify(batch.map(toRow));
  return await sql.unsafe<Repeat[]>(RECORD, [rows, DELIVERIES_KEPT], { prepare: true });
}

function toRow({ id, receipt }: NumberedReceipt) {
  return {
    id,
    s: receipt.sourceId,
    a: receipt.account,
    e: receipt.eventId,
    cd: receipt.contentDigest.toString("base64"),
    bd: receipt.bodyDigest.toString("base64"),
    o: receipt.origin,
    h: receipt.headers,
    body: receipt.body.toString("base64"),
  };
}

const RECORD = `
with input as materialized (
  select * from json_to_recordset($1::text::json) as input (
    id uuid, s text, a text, e text, cd text, bd text, o text, h jsonb, body text)
), repeat as materialized (
  select input.*, event.id as first, event.status, event.content_digest = decode(cd, 'base64') as consistent,
    event.body_digest = decode(bd, 'base64') as same_bytes,
    row_number() over (partition by event.id order by input.id) as nth
  from input join inbox_events event on (event.source_id, event.account, event.event_id) = (s, a, e)
), counted as (
  insert into inbox_delivery_counts as counts (inbox_event_id, count)
  select first, 1 + count(*) from repeat group by first order by first
  on conflict (inbox_event_id) do update set count = counts.count + excluded.count - 1
  returning inbox_event_id, count
), delivered as (
  insert into inbox_deliveries (inbox_event_id, ordinal, origin, body_digest, body)
  select first, ordinal, o, decode(bd, 'base64'),
    case when consistent and not same_bytes then decode(body, 'base64') end
  from (
    select repeat.*, counted.count, counted.count - (count(*) over (partition by first)) + nth as ordinal
    from repeat join counted on inbox_event_id = first
  ) numbered
  where ordinal > count - $2::int
), forgotten as (
  delete from inbox_deliveries old using counted
  where old.inbox_event_id = counted.inbox_event_id and old.ordinal <= counted.count - $2::int
), conflicting as (
  insert into inbox_conflicts as conflict (id, inbox_event_id, content_digest, body, headers, why, seen)
  select distinct on (first, cd) id, first, decode(cd, 'base64'), decode(body, 'base64'), h,
    'the same event id came with other content', count(*) over (partition by first, cd)
  from repeat where not consistent order by first, cd, id
  on conflict (inbox_event_id, content_digest) do update set seen = conflict.seen + excluded.seen
), armed as (
  update inbox_events set status = 'pending', failure_class = null, why = 'armed again by a redelivery',
    next_attempt_at = now(), round_attempts = 0, round_started_at = null
  where id in (select first from repeat where consistent) and status = 'failed' and failure_class = 'exhausted'
)
select id, first, status, consistent, ${DURABLE} from repeat`;
