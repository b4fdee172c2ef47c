import type { Sql } from "#db/client.ts";
import { decodeCursor } from "#lib/api/cursor.ts";
import { getOperation, listItems, listOperations } from "#lib/api/reads/operations.ts";
import { isUuid } from "./inbox-filter.ts";

const PAGE = 50;

const readClock = async (sql: Sql): Promise<string> =>
  (await sql<{ now: string }[]>`select now() as now`)[0]!.now;

/** A page of bulk operations, newest first, with the clock that its ages refer to. */
export async function loadOperations(sql: Sql, cursor: string | null) {
  const after = cursor ? decodeCursor(cursor) : null;
  const [page, now] = await Promise.all([listOperations(sql, PAGE, after), readClock(sql)]);
  return { ...page, now, isFirst: after === null };
}

export const ITEM_TABS = ["failures", "all"] as const;
export type ItemTab = (typeof ITEM_TABS)[number];

/** One operation with a page of its items; null when there is none. */
export async function loadOperation(sql: Sql, id: string, tab: ItemTab, after: number) {
  if (!isUuid(id)) return null;
  const [operation, items, now] = await Promise.all([
    getOperation(sql, id),
    listItems(sql, id, tab === "failures" ? { verdict: "failures" } : {}, PAGE, after),
    readClock(sql),
  ]);
  return operation && { operation, items, now };
}
