import type { Sql } from "#db/client.ts";
import { commitStep, type Lease } from "./lease.ts";
import type { RunContext } from "./list-step.ts";
import { closeGaps } from "./write-gaps.ts";

/**
 * The end of a run: gaps of its window that nothing found again are gone. Not where the list does not reach, not for
 * accounts that were not asked for, and not after a warning, which says that the list may not be all.
 */
export async function stepClose(sql: Sql, lease: Lease, context: RunContext): Promise<void> {
  const { client, mode } = context;
  const reaches = client.listings.map(({ reach }) => reach);
  const oldest = reaches.includes(null) ? lease.from : lease.now - Math.max(...reaches.map(Number));
  await commitStep(sql, lease, "done", async (tx) => {
    const gone = await tx<{ id: string }[]>`
      select gap.id from reconciliation_gaps gap
      join reconciliation_runs run on run.id = ${lease.id} and run.warnings = '{}'
      where gap.source_id = ${lease.sourceId} and gap.status = 'open' and gap.last_run_id <> ${lease.id}
        and gap.happened_at >= greatest(${lease.windowFrom}::timestamptz, to_timestamp(${oldest / 1000}))
        and gap.happened_at < ${lease.windowTo}::timestamptz
        and (${mode}::text is null or (${mode}::text = 'test') = (gap.account like '%~test'))
        and not exists (select from inbox_events event where event.id = gap.inbox_event_id and event.status = 'pending')
      order by gap.id for update`;
    const ids = gone.map(({ id }) => id);
    return { gapsClosed: await closeGaps(tx, ids, lease.actor, "a later pass found it gone") };
  });
}
