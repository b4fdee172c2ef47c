import type { Sql } from "#db/client.ts";

/** A year can be compared with the one before; of each source and reason there is one row an hour at the most. */
const DAYS_KEPT = 400;

/** Deletes the hourly counts of rejections that are older than DAYS_KEPT days; returns how many went. */
export async function forgetRejectionCounts(sql: Sql): Promise<number> {
  const { count } = await sql`
    delete from rejection_counts where hour < now() - make_interval(days => ${DAYS_KEPT})`;
  return count;
}
