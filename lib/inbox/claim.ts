import type { Tx } from "#db/client.ts";
import type { Lane } from "./lanes.ts";
import { type InboxRow, ROW_COLUMNS, ROW_JOINS } from "./row.ts";

/**
 * Locks up to `limit` due rows of a lane, of active sources, and loads them; rows that another worker holds are passed over.
 * The lock lives as long as the transaction: a worker that dies gives its rows back without any lease.
 *
 * The materialised CTE is what keeps the limit: as a subquery of a join the planner may run it again for every outer
 * row, and with stale statistics it claimed 40 rows for a limit of 5. Sources are visited in random order, so that
 * one with a long queue cannot starve the others; the lateral stops as soon as the outer limit is reached.
 */
export async function claimDue(tx: Tx, limit: number, lane: Lane): Promise<InboxRow[]> {
  return await tx.unsafe<InboxRow[]>(CLAIM_DUE, [limit, lane], { prepare: true });
}

/** Bodies of a batch are in memory together; beyond this the rest of its rows stays for the next one. */
const MOST_BODY_BYTES = 16 * 2 ** 20;

const CLAIM_DUE = `
with due as materialized (
  select picked.id, picked.body_bytes
  from (select id from sources where status = 'active' order by random()) source
  cross join lateral (
    select e.id, e.body_bytes from inbox_events e
    where e.source_id = source.id and e.status = 'pending' and e.lane = $2 and e.next_attempt_at <= now()
    order by e.next_attempt_at
    limit $1
    for update skip locked
  ) picked
  limit $1
), fit as (
  select id from (select id, sum(body_bytes) over (rows unbounded preceding) - body_bytes as before from due) sized
  where before < ${MOST_BODY_BYTES}
)
select ${ROW_COLUMNS}, (select count(*) from due)::int as "lockedRows" from fit due join inbox_events e on e.id = due.id ${ROW_JOINS}
order by e.received_at, e.id`;

/** The same for given rows, of those that are still pending: to find the one that makes a batch fail. */
export async function claimIds(tx: Tx, ids: readonly string[]): Promise<InboxRow[]> {
  return await tx.unsafe<InboxRow[]>(CLAIM_IDS, [ids as string[]], { prepare: true });
}

const CLAIM_IDS = `
with picked as materialized (
  select id from inbox_events where id = any($1::uuid[]) and status = 'pending' order by id for update skip locked
)
select ${ROW_COLUMNS} from picked join inbox_events e on e.id = picked.id ${ROW_JOINS}
order by e.received_at, e.id`;

/** One row, whatever its state: for a replay. With a lock it waits for whoever is at work on it. */
export async function loadRow(tx: Tx, id: string, lock: boolean): Promise<InboxRow | null> {
  if (lock) await tx`select id from inbox_events where id = ${id} for update`;
  const [row] = await tx.unsafe<InboxRow[]>(
    `select ${ROW_COLUMNS} from inbox_events e ${ROW_JOINS} where e.id = $1`,
    [id],
    { prepare: true },
  );
  return row ?? null;
}
