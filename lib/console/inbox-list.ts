import type { Sql } from "#db/client.ts";
import type { InboxStatus, Outcome } from "#db/states.ts";
import { type Cursor, formatCursor, type InboxFilter } from "./inbox-filter.ts";
import { whereOf } from "./inbox-where.ts";

export type InboxItem = {
  id: string;
  sourceId: string;
  account: string;
  eventId: string;
  type: string;
  subject: string | null;
  status: InboxStatus;
  outcome: Outcome | null;
  attempts: number;
  why: string | null;
  lastError: string | null;
  nextAttemptAt: string | null;
  receivedAt: string;
  hasConflict: boolean;
};

export type InboxPage = {
  items: InboxItem[];
  /** The database's clock, to which "12 s ago" refers. */
  now: string;
  older: string | null;
  newer: string | null;
};

export const PAGE_SIZE = 50;

/**
 * One page of the inbox, newest first. Keyset on (received_at, id), so that arriving rows neither repeat nor skip any.
 * `before` asks for older rows than a cursor, `after` for newer ones.
 */
export async function listInbox(
  sql: Sql,
  filter: InboxFilter,
  page: { before: Cursor | null; after: Cursor | null },
): Promise<InboxPage> {
  const { before, after } = page;
  const cursor = before
    ? sql`and (e.received_at, e.id) < (${before.at}::timestamptz, ${before.id}::uuid)`
    : after
      ? sql`and (e.received_at, e.id) > (${after.at}::timestamptz, ${after.id}::uuid)`
      : sql``;
  const backwards = !before && after !== null;
  const order = backwards ? sql`order by e.received_at, e.id` : sql`order by e.received_at desc, e.id desc`;
  // The clock as a row of its own: it is wanted on an empty page too.
  const rows = await sql<({ now: string } & InboxItem)[]>`
    with page as materialized (
      select e.id, e.source_id, e.account, e.event_id, e.type, e.subject, e.status, e.outcome, e.attempts, e.why,
        e.last_error, e.next_attempt_at, e.received_at,
        exists (select 1 from inbox_conflicts c where c.inbox_event_id = e.id and c.resolved_at is null) as has_conflict
      from inbox_events e where ${whereOf(sql, filter)} ${cursor} ${order} limit ${PAGE_SIZE + 1}
    )
    select now() as now, page.id, source_id as "sourceId", account, event_id as "eventId", type, subject, status,
      outcome, attempts, why, last_error as "lastError", next_attempt_at as "nextAttemptAt",
      received_at as "receivedAt", has_conflict as "hasConflict"
    from (select 1) clock left join page on true order by received_at desc, page.id desc`;
  const now = rows[0]!.now;
  const found = rows.filter((row) => row.id !== null);
  const more = found.length > PAGE_SIZE;
  // Asked backwards, the surplus row is the newest; else it is the oldest.
  const items = more ? (backwards ? found.slice(1) : found.slice(0, PAGE_SIZE)) : found;
  const edge = (row: InboxItem | undefined) =>
    row ? formatCursor({ at: row.receivedAt, id: row.id }) : null;
  return {
    items: items.map(({ now: _, ...item }) => item),
    now,
    older: backwards || more ? edge(items.at(-1)) : null,
    newer: before || (backwards && more) ? edge(items[0]) : null,
  };
}

/** How many rows came since a cursor, at most `limit`: for "12 new, show". */
export async function countNewer(sql: Sql, filter: InboxFilter, after: Cursor, limit = 100): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select 1 from inbox_events e where ${whereOf(sql, filter)}
        and (e.received_at, e.id) > (${after.at}::timestamptz, ${after.id}::uuid)
      limit ${limit}
    ) newer`;
  return row?.count ?? 0;
}
