import type { OperationStatus } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { describeFilter } from "#lib/operations/filter.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

export type OperationView = {
  id: string;
  action: string;
  actor: string;
  reason: string;
  /** `scheduled`: confirmed, and can still be undone. `undone`: cancelled before anything was done. */
  status: OperationStatus | "scheduled" | "undone";
  filter: Record<string, unknown> | null;
  filterWords: string | null;
  count: number;
  /** Items with a verdict, and how many of each. */
  settled: number;
  verdicts: Record<string, number>;
  createdAt: string;
  startsAt: string | null;
  startedAt: string | null;
  finishedAt: string | null;
  cancelledBy: string | null;
};

type Row = Omit<OperationView, "filterWords" | "settled">;

/** Totals of ended operations are kept; those of the few that run are counted. */
const columns = (sql: Executor) => sql`
  o.id, o.action, o.actor, o.reason, o.filter, coalesce(o.item_count, 1) as count,
  case when o.status = 'running' and o.started_at is null then 'scheduled'
    when o.status = 'cancelled' and o.started_at is null then 'undone' else o.status end as status,
  coalesce(o.totals, (select json_object_agg(verdict, items)::jsonb from (
    select verdict, count(*) as items from operation_items
    where operation_id = o.id and verdict is not null group by verdict) by_verdict), '{}') as verdicts,
  o.created_at as "createdAt", o.starts_at as "startsAt", o.started_at as "startedAt",
  o.finished_at as "finishedAt", o.cancelled_by as "cancelledBy"`;

/** One operation with its progress; null when there is none. */
export async function getOperation(sql: Executor, id: string): Promise<OperationView | null> {
  const [row] = await sql<Row[]>`select ${columns(sql)} from operations o where o.id = ${id}`;
  return row ? toView(row) : null;
}

/** Bulk operations, newest first; not the replays of single events, and not dry runs that nobody started. */
export async function listOperations(
  sql: Executor,
  limit: number,
  after: Position | null,
): Promise<Page<OperationView>> {
  const rows = await sql<Row[]>`
    select ${columns(sql)} from operations o
    where o.filter is not null and o.status <> 'frozen'
      ${after ? sql`and (o.created_at, o.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by o.created_at desc, o.id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.id }));
  return { ...page, items: page.items.map(toView) };
}

function toView(row: Row): OperationView {
  return {
    ...row,
    filterWords: row.filter && describeFilter(row.filter),
    settled: Object.values(row.verdicts).reduce((sum, items) => sum + items, 0),
    createdAt: toIsoTime(row.createdAt),
    startsAt: toIsoTimeOrNull(row.startsAt),
    startedAt: toIsoTimeOrNull(row.startedAt),
    finishedAt: toIsoTimeOrNull(row.finishedAt),
  };
}

export type OperationItem = {
  ordinal: number;
  event: string | null;
  message: string | null;
  was: string | null;
  verdict: string | null;
  why: string | null;
  finishedAt: string | null;
  /** Of the event, for people. */
  type: string | null;
  subject: string | null;
};

/** `failures`: what a person may have to look at. */
export type ItemFilter = { verdict?: string };
export const FAILURES = ["failed", "refused", "blocked", "skipped"] as const;

/** Items in the order in which they are taken, after an ordinal. */
export async function listItems(
  sql: Executor,
  id: string,
  { verdict }: ItemFilter,
  limit: number,
  after: number,
): Promise<Page<OperationItem>> {
  const wanted = verdict === "failures" ? [...FAILURES] : verdict === undefined ? null : [verdict];
  const rows = await sql<OperationItem[]>`
    select i.ordinal, i.inbox_event_id as event, i.outbox_message_id as message, i.was, i.verdict, i.why,
      i.finished_at as "finishedAt", e.type, e.subject
    from operation_items i left join inbox_events e on e.id = i.inbox_event_id
    where i.operation_id = ${id} and i.ordinal > ${after} ${wanted ? sql`and i.verdict = any(${wanted})` : sql``}
    order by i.ordinal limit ${limit + 1}`;
  const items = rows.slice(0, limit);
  return {
    items: items.map((row) => ({ ...row, finishedAt: toIsoTimeOrNull(row.finishedAt) })),
    nextCursor: rows.length > limit ? String(items.at(-1)!.ordinal) : null,
  };
}
