import type { Sql } from "#db/client.ts";
import { coalesce } from "./coalesce.ts";
import { COUNT_CAP } from "./text.ts";
import { toMillis } from "./time.ts";

/** What the frame of every page shows, and what tells an open page that something happened. */
export type Pulse = {
  /** The database's clock, milliseconds. */
  now: number;
  pending: number;
  toLookAt: number;
  outbox: number;
  workers: number;
  /** When one of them was last seen, milliseconds; null when none ever was. */
  workerSeenAt: number | null;
  /** Another text when rows came or were tried since. */
  mark: string;
};

/** Seconds within which a running process has written its heartbeat. */
export const ALIVE_WITHIN = 15;

/** Four capped looks at partial indexes and three at the ends of others. */
export async function readPulse(sql: Sql): Promise<Pulse> {
  const limit = COUNT_CAP + 1;
  const [row] = await sql<(Omit<Pulse, "now" | "workerSeenAt"> & { now: string; seenAt: string | null })[]>`
    select now() as now,
      (select count(*)::int from (select 1 from inbox_events where status = 'pending' limit ${limit}) p) as pending,
      (select count(*)::int from (
        select 1 from inbox_events where status in ('failed', 'quarantined') limit ${limit}) l) as "toLookAt",
      (select count(*)::int from (
        select 1 from outbox_messages where status = 'pending' limit ${limit}) o) as outbox,
      (select count(*)::int from workers where role = 'worker' and stopped_at is null
        and seen_at > now() - make_interval(secs => ${ALIVE_WITHIN})) as workers,
      (select max(seen_at) from workers where role = 'worker') as "seenAt",
      concat_ws('/', (select max(received_at) from inbox_events), (select max(id) from inbox_attempts)) as mark`;
  const { now, seenAt, ...counts } = row!;
  return { ...counts, now: toMillis(now), workerSeenAt: seenAt === null ? null : toMillis(seenAt) };
}

export const sharedPulse = coalesce(readPulse, 2_000);
