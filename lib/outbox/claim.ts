import type { Sql } from "#db/client.ts";
import type { Channel } from "#db/states.ts";
import { failpoint } from "#lib/failpoint.ts";
import { type Clock, TX_NOW } from "./clock.ts";
import type { LeasedMessage } from "./message.ts";

/** Seconds in which a claimed message must be started: preparing it is local and short. */
export const CLAIM_LEASE = 20;

/** Any constant; claims take turns, so that two dispatchers count a destination's calls right. */
const CLAIM_LOCK = 7_220_114_582;

export type Claim = {
  /** Messages that this process can begin to send now. */
  slots: number;
  /** The channels that this installation is set up for: the others' messages wait. */
  channels: readonly Channel[];
  workerId: string;
};

/**
 * Takes due messages by a committed lease: `sending`, a token, an end. Nothing has left yet, and nothing may until
 * startCalls() has committed that it might.
 *
 * Each destination is a lane with its own limit over all dispatchers, and lanes are served in turns: one that is slow,
 * long or down takes nothing from the others. A lane whose breaker is open gives one message per probe. The state is in
 * each row and there is no position to remember, so a row that was committed late is found like any other.
 */
export async function claimDue(
  sql: Sql,
  clock: Clock,
  { slots, channels, workerId }: Claim,
): Promise<LeasedMessage[]> {
  const [due] = await sql.unsafe(ANYTHING_DUE, [clock.offsetSeconds, channels as string[]], {
    prepare: true,
  });
  if (!due?.due) return [];
  const claimed = (await sql.begin(async (tx) => {
    const [, rows] = await Promise.all([
      tx.unsafe("select pg_advisory_xact_lock($1::bigint)", [CLAIM_LOCK], { prepare: true }),
      tx.unsafe<LeasedMessage[]>(
        CLAIM,
        [clock.offsetSeconds, channels as string[], slots, workerId, CLAIM_LEASE],
        { prepare: true },
      ),
    ]);
    return rows;
  })) as unknown as LeasedMessage[];
  if (claimed.length > 0) failpoint("send.after-claim");
  return [...claimed];
}

const OPEN_LANE = `destination.status = 'active' and destination.channel = any($2::text[])
  and coalesce(destination.probe_at, '-infinity') <= ${TX_NOW}`;

const DUE = `message.destination_id = destination.id and message.status = 'pending'
  and message.next_attempt_at <= ${TX_NOW} and (message.forced or message.deadline_at > ${TX_NOW})`;

/** A look costs one index probe per destination and takes no lock, however many messages have been sent. */
const ANYTHING_DUE = `
select exists (
  select from destinations destination
  where ${OPEN_LANE} and exists (select from outbox_messages message where ${DUE})) as due`;

const CLAIM = `
with busy as materialized (
  select destination_id, count(*)::int as calls from outbox_messages where status = 'sending' group by 1
), lane as materialized (
  select destination.id, destination.broken_since is not null as broken,
    case when destination.broken_since is null
      then greatest(0, least($3::int, destination.concurrency - coalesce(busy.calls, 0))) else 1 end as free
  from destinations destination left join busy on busy.destination_id = destination.id
  where ${OPEN_LANE}
), due as materialized (
  select picked.id, destination.id as lane, destination.broken, picked.turn
  from lane destination cross join lateral (
    select next.id, row_number() over (order by next.next_attempt_at) as turn from (
      select message.id, message.next_attempt_at from outbox_messages message
      where ${DUE} order by message.next_attempt_at limit destination.free
    ) next
  ) picked
  order by picked.turn, random() limit $3::int
), claimed as (
  update outbox_messages message
  set status = 'sending', lease_token = gen_random_uuid(), leased_by = $4::uuid, next_attempt_at = null,
    lease_until = ${TX_NOW} + make_interval(secs => $5::float8), version = message.version + 1
  from due
  where message.id = due.id and message.status = 'pending'
  returning message.*, due.broken
), probing as (
  -- No second probe before this one has ended, or its lease.
  update destinations set probe_at = ${TX_NOW} + make_interval(secs => $5::float8)
  where id in (select destination_id from claimed where broken)
)
select claimed.id, claimed.lease_token as token, claimed.operation_key as "operationKey", claimed.subject,
  claimed.channel, claimed.destination, claimed.destination_id as "destinationId", claimed.content,
  claimed.inbox_event_id as event, event.traceparent, claimed.attempts, claimed.ambiguous,
  claimed.created_at as "createdAt", claimed.first_call_at as "firstCallAt", ${TX_NOW} as "claimedAt",
  destination.policy, destination.url, destination.recipient, destination.secret_ciphertext as "secretCiphertext",
  destination.secret_key_id as "secretKeyId", claimed.broken as probe
from claimed
join destinations destination on destination.id = claimed.destination_id
left join inbox_events event on event.id = claimed.inbox_event_id`;
