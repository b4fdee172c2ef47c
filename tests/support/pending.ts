import { setTimeout as sleep } from "node:timers/promises";
import type { Sql } from "#db/client.ts";

/** Waits until a query's row says `true` in its first column; for at most `ms`. */
export async function untilTrue(
  look: () => Promise<readonly Record<string, unknown>[]>,
  ms = 30_000,
): Promise<void> {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    const [row] = await look();
    if (row && Object.values(row)[0] === true) return;
    if (Date.now() > end) throw new Error(`not within ${ms} ms`);
  }
}

export const untilNothingIsPending = (sql: Sql, ms = 30_000): Promise<void> =>
  untilTrue(() => sql`select not exists (select from inbox_events where status = 'pending')`, ms);
