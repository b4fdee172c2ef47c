import type { Sql } from "#db/client.ts";
import type { SourceActivity } from "./source-state.ts";
import { COUNT_CAP } from "./text.ts";

export type Activities = { now: string; of: Map<string, SourceActivity> };

/** What came from each source; counts stop at the cap, so that a busy source costs no more than a page of it. */
export async function loadActivity(sql: Sql, ids: readonly string[]): Promise<Activities> {
  const rows = await sql<({ id: string; now: string } & SourceActivity)[]>`
    select source.id, now() as now,
      (select received_at from inbox_events where source_id = source.id order by received_at desc limit 1) as "lastEventAt",
      (select count(*)::int from (select from inbox_events
        where source_id = source.id and received_at > now() - interval '24 hours' limit ${COUNT_CAP + 1}) recent) as events,
      (select coalesce(sum(count), 0)::float8 from rejection_counts
        where source_id = source.id and hour >= now() - interval '24 hours') as rejections
    from (select unnest(${ids as string[]}::text[]) as id union all select '') source`;
  const of = new Map(rows.map(({ id, now: _, ...activity }) => [id, activity]));
  // One row more than there are sources: the clock is wanted without any, too.
  return { now: rows[0]!.now, of };
}
