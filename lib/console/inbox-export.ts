import type { Sql } from "#db/client.ts";
import { toIsoTime, toIsoTimeOrNull } from "#lib/api/iso-time.ts";
import { writeCsvLine } from "./csv.ts";
import type { InboxFilter } from "./inbox-filter.ts";
import { whereOf } from "./inbox-where.ts";

/** More than a spreadsheet is read for; the HTTP API pages through everything. */
export const MOST_EXPORTED = 10_000;

const COLUMNS = [
  "id",
  "source",
  "account",
  "eventId",
  "type",
  "subject",
  "status",
  "outcome",
  "failureClass",
  "why",
  "attempts",
  "receivedAt",
  "finishedAt",
] as const;

type ExportRow = Record<(typeof COLUMNS)[number], string | number | null>;

/** The list as filtered, newest first: no payloads. `complete`: there were no more. */
export async function exportInbox(
  sql: Sql,
  filter: InboxFilter,
): Promise<{ items: ExportRow[]; complete: boolean }> {
  const rows = await sql<ExportRow[]>`
    select e.id, e.source_id as source, e.account, e.event_id as "eventId", e.type, e.subject, e.status, e.outcome,
      e.failure_class as "failureClass", coalesce(e.why, e.last_error) as why, e.attempts,
      e.received_at as "receivedAt", e.finished_at as "finishedAt"
    from inbox_events e where ${whereOf(sql, filter)}
    order by e.received_at desc, e.id desc limit ${MOST_EXPORTED + 1}`;
  const items = rows.slice(0, MOST_EXPORTED).map((row) => ({
    ...row,
    receivedAt: toIsoTime(String(row.receivedAt)),
    finishedAt: toIsoTimeOrNull(row.finishedAt as string | null),
  }));
  return { items, complete: rows.length <= MOST_EXPORTED };
}

export function toCsv(items: readonly ExportRow[]): string {
  const lines = items.map((item) => writeCsvLine(COLUMNS.map((column) => item[column])));
  return [writeCsvLine(COLUMNS), ...lines].join("");
}
