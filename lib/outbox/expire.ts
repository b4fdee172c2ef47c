import type { Sql } from "#db/client.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { Channel } from "#db/states.ts";
import { sendDelay } from "./backoff.ts";
import { type Clock, TX_NOW } from "./clock.ts";

/** Dispatchers in a row that may die over a message before it is set apart. */
const MOST_CRASHES = 3;

export type Expired = { pending: number; unknown: number; parked: number };

/**
 * Takes back what dispatchers hold whose lease is over: they died, or stand still. The row says how far they came.
 *
 * Claimed, call not begun: no byte has left; pending again. Call begun: bytes may have left, so the destination's
 * policy decides: it is sent again where a second copy does no harm or the key is still remembered, its destination is
 * asked first where it keeps records, and else it is unknown and waits for a person. A message over which three
 * dispatchers died in a row is set apart with that evidence: rejected where nothing left, unknown where something may.
 * `keySeconds`: for how long each channel's destinations remember a key.
 */
export async function expireLeases(
  sql: Sql,
  clock: Clock,
  keySeconds: Partial<Record<Channel, number | null>>,
): Promise<Expired> {
  const rows = await repeatOnConflict(() =>
    sql.unsafe<{ status: string; count: number }[]>(
      EXPIRE,
      [clock.offsetSeconds, JSON.stringify(keySeconds), sendDelay(1, Math.random()), MOST_CRASHES],
      { prepare: true },
    ),
  );
  const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0;
  return { pending: count("pending"), unknown: count("unknown"), parked: count("rejected") };
}

const EXPIRE = `
with gone as materialized (
  select id from outbox_messages where status = 'sending' and lease_until <= ${TX_NOW}
  order by id limit 500 for update skip locked
), seen as materialized (
  select message.id, message.call_started_at as started, message.leased_by, message.lease_token, message.lease_until,
    message.crashes + 1 >= $4::int as over,
    case
      when message.call_started_at is null then case when message.crashes + 1 >= $4::int then 'rejected' else 'pending' end
      when message.crashes + 1 >= $4::int then 'unknown'
      when destination.policy in ('duplicate-ok', 'reconcile') then 'pending'
      when destination.policy = 'idempotent' and message.first_call_at
        + make_interval(secs => ($2::text::json ->> message.channel)::float8) > ${TX_NOW} + make_interval(secs => $3::float8)
        then 'pending'
      else 'unknown'
    end as next
  from gone join outbox_messages message on message.id = gone.id
  join destinations destination on destination.id = message.destination_id
), told as materialized (
  select *, case when started is null then 'The dispatcher ended before the call began: nothing has left.'
      else 'The dispatcher ended during the call, or stood still: it may have arrived.' end
    || case when over then ' It is set apart: this happened ' || $4::int || ' times in a row.' else '' end as why
  from seen
), moved as (
  update outbox_messages message
  set status = told.next, crashes = message.crashes + 1, version = message.version + 1,
    attempts = message.attempts + (told.started is not null)::int,
    ambiguous = message.ambiguous or told.started is not null,
    next_attempt_at = case when told.next = 'pending' then ${TX_NOW} + make_interval(secs => $3::float8) end,
    finished_at = case when told.next = 'rejected' then ${TX_NOW} end, last_error = told.why,
    lease_token = case when told.next = 'unknown' then message.lease_token end,
    lease_until = null, leased_by = null, call_started_at = null
  from told where message.id = told.id
), tried as (
  insert into outbox_attempts (message_id, kind, result, why, lease_token, worker_id, started_at, finished_at, evidence)
  select id, 'lost', case when started is null then 'retry' else 'unknown' end, why, lease_token, leased_by,
    coalesce(started, lease_until), lease_until, json_build_object('bytesLeft', started is not null) from told
)
select next as status, count(*)::int as count from told group by 1`;
