import type { Sql } from "#db/client.ts";
import { failpoint } from "#lib/failpoint.ts";
import { type Clock, TX_NOW } from "./clock.ts";

/** `seconds` is how long the call may take, with some to spare: the lease ends after it. */
export type Starting = { id: string; token: string; seconds: number };

/** Where the database says that a message's bytes may leave from now on: id → the time of it, as text. */
export type Started = Map<string, string>;

/**
 * Commits, before the first byte can leave, that bytes may have left. From here on a dispatcher that does not come back
 * leaves a message whose outcome nobody knows; up to here it leaves one that was never sent. What is missing from the
 * answer is no longer held and must not be sent.
 */
export async function startCalls(sql: Sql, clock: Clock, starting: readonly Starting[]): Promise<Started> {
  if (starting.length === 0) return new Map();
  failpoint("send.before-start");
  const rows = await sql.unsafe<{ id: string; at: string }[]>(
    START,
    [clock.offsetSeconds, JSON.stringify(starting)],
    { prepare: true },
  );
  failpoint("send.after-start");
  return new Map(rows.map(({ id, at }) => [id, at]));
}

const START = `
with row as materialized (
  select * from json_to_recordset($2::text::json) as row (id uuid, token uuid, seconds float8)
), started as (
  update outbox_messages message
  set call_started_at = ${TX_NOW}, first_call_at = coalesce(first_call_at, ${TX_NOW}),
    lease_until = ${TX_NOW} + make_interval(secs => row.seconds)
  from row
  where message.id = row.id and message.lease_token = row.token and message.status = 'sending'
    and message.call_started_at is null and message.lease_until > ${TX_NOW}
  returning message.id, message.call_started_at as at, message.destination_id, message.lease_until
), probing as (
  update destinations destination set probe_at = started.lease_until from started
  where destination.id = started.destination_id and destination.broken_since is not null
)
select id, at from started`;

/**
 * Gives back messages of which no byte has left, as if they had never been claimed: an orderly stop, or a process that
 * was itself stopped between start and call. Returns how many.
 */
export async function giveBack(
  sql: Sql,
  clock: Clock,
  leases: readonly { id: string; token: string }[],
): Promise<number> {
  if (leases.length === 0) return 0;
  const { count } = await sql.unsafe(GIVE_BACK, [clock.offsetSeconds, JSON.stringify(leases)], {
    prepare: true,
  });
  return count;
}

const GIVE_BACK = `
update outbox_messages message
set status = 'pending', next_attempt_at = ${TX_NOW}, lease_token = null, lease_until = null, leased_by = null,
  call_started_at = null, version = version + 1
from json_to_recordset($2::text::json) as row (id uuid, token uuid)
where message.id = row.id and message.lease_token = row.token and message.status = 'sending'`;
