import type { Sql, Tx } from "#db/client.ts";
import { WORKER_LOCK } from "./claims.ts";
import { LANES } from "./lanes.ts";
import { backoffSeconds, MOST_CRASHES } from "./retry.ts";

/** Seconds without a heartbeat after which a worker counts as gone, where nobody saw it go. */
const SILENCE = 15;

export type Rescued = {
  /** Rows that will be worked alone, since one of them may have killed its worker. */
  suspects: number;
  /** Rows that were alone when their process died. */
  crashed: number;
};

type Claim = { workerId: string; slot: number; ids: string[]; alone: boolean; claimedAt: string };

/**
 * Looks after the rows of workers that are gone. Of a batch, nobody knows which row it was, so all become suspects and
 * are worked alone; a row that was alone has been found out once more, and after three times it is set aside.
 *
 * A worker whose session still holds its lock is not gone, however long it is silent: a stopped process keeps it. For a
 * crash to count, the worker must besides be known to have ended, or be silent: connections end for other reasons too.
 */
export async function rescueClaims(sql: Sql, workerId: string): Promise<Rescued> {
  return (await sql.begin(async (tx) => {
    const claims = await tx.unsafe<Claim[]>(ORPHANED, [workerId], { prepare: true });
    const rescued: Rescued = { suspects: 0, crashed: 0 };
    for (const claim of claims) {
      const open = await lockPending(tx, claim.ids);
      // A row that is held is still being worked at, by a session that has not ended yet: look again later.
      if (open.held) continue;
      if (claim.alone) rescued.crashed += await countCrashes(tx, claim, open.ids);
      else rescued.suspects += await suspect(tx, open.ids);
      await tx`delete from inbox_claims where worker_id = ${claim.workerId} and slot = ${claim.slot}`;
    }
    return rescued;
  })) as Rescued;
}

const ORPHANED = `
select claim.worker_id as "workerId", claim.slot, claim.event_ids as ids, claim.alone, claim.claimed_at as "claimedAt"
from inbox_claims claim left join workers worker on worker.id = claim.worker_id
cross join lateral (
  select worker.stopped_at is not null
    or greatest(coalesce(worker.seen_at, claim.claimed_at), pg_postmaster_start_time())
      < now() - interval '${SILENCE} seconds' as ended
) known
where claim.worker_id <> $1::uuid
  and case when claim.locked then pg_try_advisory_xact_lock(${WORKER_LOCK}, hashtext(claim.worker_id::text)) else known.ended end
  and (known.ended or not claim.alone)
order by claim.worker_id, claim.slot for update of claim skip locked`;

async function lockPending(tx: Tx, ids: string[]): Promise<{ ids: string[]; held: boolean }> {
  if (ids.length === 0) return { ids: [], held: false };
  const pending = await tx<{ id: string; locked: boolean }[]>`
    with free as materialized (
      select id from inbox_events where id = any(${ids}::uuid[]) and status = 'pending'
      order by id for update skip locked
    )
    select event.id, free.id is not null as locked from inbox_events event left join free on free.id = event.id
    where event.id = any(${ids}::uuid[]) and event.status = 'pending'`;
  return { ids: pending.map(({ id }) => id), held: pending.some(({ locked }) => !locked) };
}

async function suspect(tx: Tx, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { count } = await tx`
    update inbox_events set lane = ${LANES.ALONE} where id = any(${ids}::uuid[]) and status = 'pending'`;
  return count;
}

async function countCrashes(tx: Tx, claim: Claim, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const { count } = await tx`
    with crashed as (
      update inbox_events set attempts = least(attempts, 2147483646) + 1,
        round_attempts = least(round_attempts, 2147483646) + 1, lane = ${LANES.ALONE},
        round_started_at = case when crashes + 1 < ${MOST_CRASHES} then coalesce(round_started_at, now()) end,
        crashes = case when crashes + 1 < ${MOST_CRASHES} then crashes + 1 else 0 end,
        status = case when crashes + 1 < ${MOST_CRASHES} then 'pending' else 'failed' end,
        failure_class = case when crashes + 1 >= ${MOST_CRASHES} then 'poison' end,
        next_attempt_at = case when crashes + 1 < ${MOST_CRASHES}
          then now() + make_interval(secs => ${backoffSeconds(1, Math.random())}::float8) end,
        why = case when crashes + 1 < ${MOST_CRASHES} then ${DIED}
          else ${`${DIED}, ${MOST_CRASHES} times over`} end,
        last_error = ${DIED}
      where id = any(${ids}::uuid[]) and status = 'pending'
      returning id, status
    )
    insert into inbox_attempts (inbox_event_id, kind, started_at, finished_at, result, why, worker_id)
    select id, 'process', ${claim.claimedAt}, clock_timestamp(),
      case status when 'failed' then 'poison' else 'crash' end, ${DIED}, ${claim.workerId}::uuid
    from crashed`;
  return count;
}

const DIED = "the process died that was at work on it alone";

/** Whether a row waits to be worked alone now. */
export async function isAnyDueAlone(sql: Sql): Promise<boolean> {
  const [row] = await sql`
    select from (select id from sources where status = 'active') source
    cross join lateral (
      select from inbox_events e where e.source_id = source.id and e.status = 'pending' and e.lane = ${LANES.ALONE}
        and e.next_attempt_at <= now() limit 1
    ) due limit 1`;
  return row !== undefined;
}
