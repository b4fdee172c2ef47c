import type postgres from "postgres";
import type { Sql, Tx } from "./client.ts";

/** Days from today on which bodies received now will expire, one per retention class in use. */
export type Retention = { days: number[] };

const WEEK = 7;
/** Any constant; creating and dropping take the same one. */
const PARTITION_LOCK = 7_220_114_582;
const UNFINISHED = ["pending", "waiting", "failed", "quarantined"];

/** The retention classes in use: every source's setting and the default. */
export async function listRetention(sql: Sql): Promise<number[]> {
  const rows = await sql<{ days: number }[]>`
    select (settings ->> 'retentionDays')::int as days from sources where settings ? 'retentionDays' union select 30`;
  return rows.map((row) => row.days);
}

/**
 * Creates the partitions of inbox_bodies for a week of receipts ahead and returns their names. What landed in the
 * default partition meanwhile moves over. Never throws: without a partition the default one takes the rows, so that
 * neither a start nor a receipt depends on it. `failed` then says why, and the next call tries again.
 */
export async function ensureBodyPartitions(
  sql: Sql,
  { days }: Retention,
): Promise<{ created: string[]; failed: string | null }> {
  const created: string[] = [];
  try {
    const offsets = [
      ...new Set(days.flatMap((day) => Array.from({ length: WEEK + 1 }, (_, ahead) => day + ahead))),
    ];
    // Asked first without any lock: nearly every call finds nothing to do.
    const missing = await sql<{ day: string }[]>`
      select day::text from (
        select (now() at time zone 'UTC')::date + unnest(${offsets}::int[]) as day
      ) as wanted
      where to_regclass('inbox_bodies_' || to_char(day, 'YYYYMMDD')) is null order by day`;
    for (const { day } of missing) if (await createPartition(sql, day)) created.push(partitionName(day));
    return { created, failed: null };
  } catch (error) {
    return { created, failed: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Drops the partitions whose day is over (UTC), so that bodies go without leaving dead rows behind. The bodies of
 * unfinished events move a week ahead first, in the same transaction. Throws when a partition cannot be locked in
 * time; what was dropped before stays dropped, and the next call goes on.
 */
export async function dropExpiredBodies(sql: Sql): Promise<{ dropped: string[]; moved: number }> {
  const expired = await sql<{ name: string; day: string; later: string }[]>`
    with today as (select (now() at time zone 'UTC')::date as today),
    parts as (
      select relname::text as name, to_date(right(relname, 8), 'YYYYMMDD') as day
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'inbox_bodies'::regclass and relname ~ '^inbox_bodies_\\d{8}$'
      union all
      select 'inbox_bodies_default', expires_on from inbox_bodies_default group by expires_on
    )
    select name, day::text, (today + ${WEEK}::int)::text as later
    from parts, today where day < today order by day, name`;
  if (expired[0]) await createPartition(sql, expired[0].later);

  const dropped: string[] = [];
  let moved = 0;
  for (const { name, day, later } of expired) {
    moved += await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`;
      if (!(await hasTable(tx, name))) return 0;
      const kept = await keepUnfinished(tx, name, day, later);
      if (name === "inbox_bodies_default") {
        await tx`delete from inbox_bodies_default where expires_on = ${day}::date`;
      } else {
        // Locks the whole of inbox_bodies for a moment; receipts queue behind the wait, so it must be short.
        await tx`set local lock_timeout = '1s'`;
        await tx`drop table ${tx(name)}`;
        dropped.push(name);
      }
      return kept;
    });
  }
  return { dropped, moved };
}

/** Each branch matches one partial index of inbox_events; one IN over all states would scan the done rows too. */
async function keepUnfinished(tx: Tx, partition: string, day: string, later: string): Promise<number> {
  const { count } = await tx`
    with unfinished as materialized (
      select id from inbox_events where status = 'pending' and body_expires_on = ${day}::date
      union all select id from inbox_events where status = 'waiting' and body_expires_on = ${day}::date
      union all
      select id from inbox_events where status in ('failed', 'quarantined') and body_expires_on = ${day}::date
    ), kept as (
      update inbox_events set body_expires_on = ${later}::date from unfinished
      where inbox_events.id = unfinished.id and status = any(${UNFINISHED}) and body_expires_on = ${day}::date
      returning inbox_events.id
    )
    insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
    select ${later}::date, inbox_event_id, body, headers from ${tx(partition)} as old
    join kept on kept.id = old.inbox_event_id where old.expires_on = ${day}::date`;
  return count;
}

/** False when somebody else was first. Attaching locks the default partition alone, not the receipts of other days. */
async function createPartition(sql: Sql, day: string): Promise<boolean> {
  const name = partitionName(day);
  return sql.begin(async (tx: postgres.TransactionSql) => {
    await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`;
    if (await hasTable(tx, name)) return false;
    await tx`set local lock_timeout = '2s'`;
    await tx`create table ${tx(name)} (like inbox_bodies including all)`;
    // Bodies that fit into a page stay as they came: compressing them was a fifth of PostgreSQL's work per receipt.
    await tx`alter table ${tx(name)} set (toast_tuple_target = 8160)`;
    await tx`lock table inbox_bodies_default in access exclusive mode`;
    await tx`
      with moved as (delete from inbox_bodies_default where expires_on = ${day}::date returning *)
      insert into ${tx(name)} select * from moved`;
    // Partition bounds cannot be parameters; `day` came from the server as a date.
    const [bounds] = await tx<{ text: string }[]>`
      select format('for values from (%L) to (%L)', ${day}::date, ${day}::date + 1) as text`;
    await tx.unsafe(`alter table inbox_bodies attach partition ${name} ${bounds!.text}`);
    return true;
  });
}

/** Not to_regclass: after the wait for the lock it still answered from a cache, and six at once made a table twice. */
async function hasTable(tx: Tx, name: string): Promise<boolean> {
  const found = await tx`
    select 1 from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace`;
  return found.length > 0;
}

function partitionName(day: string): string {
  return `inbox_bodies_${day.replaceAll("-", "")}`;
}
