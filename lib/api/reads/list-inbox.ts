import type { FailureClass, InboxStatus, Mode, Outcome, WaitsKind } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

export type InboxFilter = {
  status?: InboxStatus;
  source?: string;
  type?: string;
  subject?: string;
  /** An id of whatever kind: event, subject, or our own. Whole, because only that is found through an index. */
  q?: string;
  since?: string;
  until?: string;
};

export type InboxItem = {
  id: string;
  source: string;
  account: string;
  eventId: string;
  type: string;
  mode: Mode;
  subject: string | null;
  status: InboxStatus;
  outcome: Outcome | null;
  failureClass: FailureClass | null;
  waitsKind: WaitsKind | null;
  waitsKey: string | null;
  why: string | null;
  attempts: number;
  nextAttemptAt: string | null;
  lastError: string | null;
  receivedAt: string;
  finishedAt: string | null;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A page of the inbox, newest first. */
export async function listInbox(
  sql: Executor,
  filter: InboxFilter,
  limit: number,
  after: Position | null,
): Promise<Page<InboxItem>> {
  const { status, source, type, subject, q, since, until } = filter;
  const rows = await sql<InboxItem[]>`
    select ${columns(sql)} from inbox_events
    where true
      ${status ? sql`and status = ${status}` : sql``}
      ${source ? sql`and source_id = ${source}` : sql``}
      ${type ? sql`and type = ${type}` : sql``}
      ${subject ? sql`and subject = ${subject}` : sql``}
      ${q ? sql`and (event_id = ${q} or subject = ${q} ${UUID.test(q) ? sql`or id = ${q}::uuid` : sql``})` : sql``}
      ${since ? sql`and received_at >= ${since}::timestamptz` : sql``}
      ${until ? sql`and received_at < ${until}::timestamptz` : sql``}
      ${after ? sql`and (received_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by received_at desc, id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.receivedAt, id: row.id }));
  return { ...page, items: page.items.map(toInboxItem) };
}

export const columns = (sql: Executor) => sql`
  id, source_id as source, account, event_id as "eventId", type, mode, subject, status, outcome,
  failure_class as "failureClass", waits_kind as "waitsKind", waits_key as "waitsKey", why, attempts,
  next_attempt_at as "nextAttemptAt", last_error as "lastError", received_at as "receivedAt",
  finished_at as "finishedAt"`;

/** The same row with its times in ISO 8601. */
export function toInboxItem<T extends InboxItem>(row: T): T {
  return {
    ...row,
    receivedAt: toIsoTime(row.receivedAt),
    nextAttemptAt: toIsoTimeOrNull(row.nextAttemptAt),
    finishedAt: toIsoTimeOrNull(row.finishedAt),
  };
}
