import type { Sql } from "#db/client.ts";
import type { InboxFilter, Tab } from "./inbox-filter.ts";
import { whereOf } from "./inbox-where.ts";
import { COUNT_CAP } from "./text.ts";

/** Rows per tab, each counted to 10,001 at the most; null where that took too long. */
export type TabCounts = Record<Tab, number | null>;

const UNFINISHED: Tab[] = ["pending", "waiting", "failed", "quarantined"];
/** No partial index leads to these, so that they may take longer, and fail apart from the others. */
const FINISHED: Tab[] = ["all", "done", "ignored", "dismissed"];

export async function countInbox(sql: Sql, filter: InboxFilter): Promise<TabCounts> {
  const [unfinished, finished] = await Promise.allSettled([
    countTabs(sql, filter, UNFINISHED),
    countTabs(sql, filter, FINISHED),
  ]);
  const value = (tabs: Tab[], settled: PromiseSettledResult<Record<string, number>>) =>
    tabs.map((tab) => [tab, settled.status === "fulfilled" ? (settled.value[tab] ?? 0) : null]);
  return Object.fromEntries([...value(UNFINISHED, unfinished), ...value(FINISHED, finished)]);
}

/** Rows that a filter covers, counted to 10,001 at the most. */
export async function countMatching(sql: Sql, filter: InboxFilter): Promise<number> {
  return (await countTabs(sql, filter, [filter.status]))[filter.status] ?? 0;
}

async function countTabs(sql: Sql, filter: InboxFilter, tabs: Tab[]): Promise<Record<string, number>> {
  const counts = tabs.map(
    (tab) => sql`
    select ${tab}::text as tab, count(*)::int as count
    from (select 1 from inbox_events e where ${whereOf(sql, filter, tab)} limit ${COUNT_CAP + 1}) rows`,
  );
  const union = counts.reduce((all, one) => sql`${all} union all ${one}`);
  const rows = await sql<{ tab: string; count: number }[]>`${union}`;
  return Object.fromEntries(rows.map(({ tab, count }) => [tab, count]));
}
