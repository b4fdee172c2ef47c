import type { FeedbackStatus } from "#db/states.ts";
import { cutPage, type Page, type Position } from "#lib/api/cursor.ts";
import { toIsoTime } from "#lib/api/iso-time.ts";
import type { Executor } from "#lib/executor.ts";

export type FeedbackItem = {
  source: string;
  project: string;
  feedback: string;
  tenant: string;
  status: FeedbackStatus;
  category: string | null;
  text: string | null;
  assignee: string | null;
  /** What a change by a person names, so that it is made on what was shown. */
  version: number;
  /** uuid of the inbox event that it came with. */
  event: string;
  alerts: { alert: string; operation: string; at: string }[];
  createdAt: string;
  updatedAt: string;
};

export type FeedbackFilter = { status?: FeedbackStatus; source?: string; project?: string };

/** A page of feedback, newest first, each with its alerts in the order in which they were made. */
export async function listFeedback(
  sql: Executor,
  { status, source, project }: FeedbackFilter,
  limit: number,
  after: Position | null,
): Promise<Page<FeedbackItem>> {
  const rows = await sql<FeedbackItem[]>`
    select source_id as source, account as project, feedback_id as feedback, tenant_id as tenant, status, category, text,
      assignee, version, inbox_event_id as event, created_at as "createdAt", updated_at as "updatedAt",
      (select coalesce(json_agg(json_build_object('alert', alert.id, 'operation', alert.operation, 'at', alert.created_at)
          order by alert.created_at, alert.id), '[]')
        from feedback_alerts alert where (alert.source_id, alert.account, alert.feedback_id)
          = (feedback.source_id, feedback.account, feedback.feedback_id)) as alerts
    from feedback
    where true ${status ? sql`and status = ${status}` : sql``} ${source ? sql`and source_id = ${source}` : sql``}
      ${project ? sql`and account = ${project}` : sql``}
      ${after ? sql`and (created_at, inbox_event_id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by feedback.created_at desc, feedback.inbox_event_id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.event }));
  return {
    ...page,
    items: page.items.map((row) => ({
      ...row,
      alerts: row.alerts.map((alert) => ({ ...alert, at: toIsoTime(alert.at) })),
      createdAt: toIsoTime(row.createdAt),
      updatedAt: toIsoTime(row.updatedAt),
    })),
  };
}

/** How many there are in each state; states without any are left out. */
export async function countFeedback(sql: Executor): Promise<Partial<Record<FeedbackStatus, number>>> {
  const rows = await sql<{ status: FeedbackStatus; count: number }[]>`
    select status, count(*)::int as count from (select status from feedback limit 10001) capped group by 1`;
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
