import type { Channel, OutboxStatus } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

export type OutboxFilter = { status?: OutboxStatus; channel?: Channel; source?: string; subject?: string };

export type OutboxItem = {
  id: string;
  operationKey: string;
  source: string;
  account: string;
  subject: string;
  operation: string;
  topic: string;
  channel: Channel;
  destination: string;
  status: OutboxStatus;
  event: string | null;
  attempts: number;
  nextAttemptAt: string | null;
  deadlineAt: string;
  lastError: string | null;
  createdAt: string;
  finishedAt: string | null;
};

/** A page of the outbox, newest first. */
export async function listOutbox(
  sql: Executor,
  { status, channel, source, subject }: OutboxFilter,
  limit: number,
  after: Position | null,
): Promise<Page<OutboxItem>> {
  const rows = await sql<OutboxItem[]>`
    select id, operation_key as "operationKey", source_id as source, account, subject, operation, topic, channel,
      destination, status, inbox_event_id as event, attempts, next_attempt_at as "nextAttemptAt",
      deadline_at as "deadlineAt", last_error as "lastError", created_at as "createdAt", finished_at as "finishedAt"
    from outbox_messages
    where true
      ${status ? sql`and status = ${status}` : sql``}
      ${channel ? sql`and channel = ${channel}` : sql``}
      ${source ? sql`and source_id = ${source}` : sql``}
      ${subject ? sql`and subject = ${subject}` : sql``}
      ${after ? sql`and (created_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by created_at desc, id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.id }));
  return { ...page, items: page.items.map(toItem) };
}

function toItem(row: OutboxItem): OutboxItem {
  return {
    ...row,
    createdAt: toIsoTime(row.createdAt),
    deadlineAt: toIsoTime(row.deadlineAt),
    nextAttemptAt: toIsoTimeOrNull(row.nextAttemptAt),
    finishedAt: toIsoTimeOrNull(row.finishedAt),
  };
}
