import type { Sql } from "#db/client.ts";
import { coalesce } from "./coalesce.ts";

/** Events per minute; `minute` is minutes since 1970. */
export type Minute = { minute: number; received: number; done: number };

const MINUTES = 60;
/** The newest minutes are read every time: what is being committed now is not visible yet. */
const FRESH = 2;
/** No more attempts than this are looked at in one read: they have no index on time, and need none otherwise. */
const ATTEMPTS_LOOKED_AT = 300_000;

type Counts = Map<number, number>;

/** Complete minutes do not change, so that a process counts them once and not once per refresh. */
let known: { received: Counts; done: Counts; upTo: number; lastAttempt: bigint } = {
  received: new Map(),
  done: new Map(),
  upTo: 0,
  lastAttempt: 0n,
};

export async function readThroughput(sql: Sql): Promise<Minute[]> {
  const [clock] = await sql<
    { minute: number }[]
  >`select floor(extract(epoch from now()) / 60)::int as minute`;
  const current = clock!.minute;
  const first = current - MINUTES + 1;
  const from = Math.max(first, known.upTo);
  const upTo = Math.max(first, current - FRESH);
  const [received, done] = await Promise.all([countReceived(sql, from), countDone(sql, from, upTo)]);
  known = {
    received: merge(known.received, received, first, from),
    done: merge(known.done, done, first, from),
    upTo,
    lastAttempt: done.reduce(
      (last, { complete }) => (complete && complete > last ? complete : last),
      known.lastAttempt,
    ),
  };
  return Array.from({ length: MINUTES }, (_, at) => ({
    minute: first + at,
    received: known.received.get(first + at) ?? 0,
    done: known.done.get(first + at) ?? 0,
  }));
}

export const sharedThroughput = coalesce(readThroughput, 4_000);

type Counted = { minute: number; count: number }[];

function countReceived(sql: Sql, from: number): Promise<Counted> {
  return sql<Counted>`
    select floor(extract(epoch from received_at) / 60)::int as minute, count(*)::int as count
    from inbox_events where received_at >= to_timestamp(${from * 60}::double precision) group by 1`;
}

/** Each done event has one attempt that made it so. `complete` is the last one of a minute that is long over:
 * ids are handed out before their rows are visible, so that those of neighbouring minutes overlap. */
function countDone(
  sql: Sql,
  from: number,
  upTo: number,
): Promise<(Counted[number] & { complete: bigint | null })[]> {
  return sql<(Counted[number] & { complete: bigint | null })[]>`
    select minute, count(*) filter (where kind = 'process' and result = 'done')::int as count,
      max(id) filter (where minute < ${upTo - 1}) as complete
    from (
      select id, kind, result, floor(extract(epoch from finished_at) / 60)::int as minute from inbox_attempts
      where id > ${known.lastAttempt.toString()}::bigint order by id desc limit ${ATTEMPTS_LOOKED_AT}
    ) newest where minute >= ${from} group by minute`;
}

function merge(old: Counts, counted: Counted, first: number, from: number): Counts {
  const kept = [...old].filter(([minute]) => minute >= first && minute < from);
  return new Map([...kept, ...counted.map(({ minute, count }) => [minute, count] as const)]);
}
