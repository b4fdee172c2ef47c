import type { Channel, OutboxStatus } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

export type OutboxFilter = {
  status?: OutboxStatus;
  channel?: Channel;
  /** A destination's id, or the address of built-in e-mails. */
  destination?: string;
  topic?: string;
  source?: string;
  subject?: string;
};

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
  destinationId: string;
  status: OutboxStatus;
  event: string | null;
  attempts: number;
  version: number;
  nextAttemptAt: string | null;
  deadlineAt: string;
  lastError: string | null;
  createdAt: string;
  finishedAt: string | null;
};

/** A page of the outbox, newest first. */
export async function listOutbox(
  sql: Executor,
  { status, channel, destination, topic, source, subject }: OutboxFilter,
  limit: number,
  after: Position | null,
): Promise<Page<OutboxItem>> {
  const rows = await sql<OutboxItem[]>`
    select ${outboxColumns(sql)} from outbox_messages message
    where true
      ${status ? sql`and status = ${status}` : sql``}
      ${channel ? sql`and channel = ${channel}` : sql``}
      ${destination ? sql`and (destination_id = ${destination} or destination = ${destination})` : sql``}
      ${topic ? sql`and topic = ${topic}` : sql``}
      ${source ? sql`and source_id = ${source}` : sql``}
      ${subject ? sql`and subject = ${subject}` : sql``}
      ${after ? sql`and (created_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by created_at desc, id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.id }));
  return { ...page, items: page.items.map(toOutboxItem) };
}

/** Of outbox_messages message. */
export const outboxColumns = (sql: Executor) => sql`
  message.id, message.operation_key as "operationKey", message.source_id as source, message.account, message.subject,
  message.operation, message.topic, message.channel, message.destination, message.destination_id as "destinationId",
  message.status, message.inbox_event_id as event, message.attempts, message.version,
  message.next_attempt_at as "nextAttemptAt", message.deadline_at as "deadlineAt", message.last_error as "lastError",
  message.created_at as "createdAt", message.finished_at as "finishedAt"`;

/** The same row with its times in ISO 8601. */
export function toOutboxItem<T extends OutboxItem>(row: T): T {
  return {
    ...row,
    createdAt: toIsoTime(row.createdAt),
    deadlineAt: toIsoTime(row.deadlineAt),
    nextAttemptAt: toIsoTimeOrNull(row.nextAttemptAt),
    finishedAt: toIsoTimeOrNull(row.finishedAt),
  };
}
