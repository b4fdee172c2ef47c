import type { AttemptKind, Channel, Policy, SendResult } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";
import { type OutboxItem, outboxColumns, toOutboxItem } from "./list-outbox.ts";

export type SendAttempt = {
  kind: AttemptKind;
  result: SendResult;
  why: string | null;
  startedAt: string;
  finishedAt: string;
  latencyMs: number;
  statusCode: number | null;
  responseBody: string | null;
  evidence: Record<string, unknown> | null;
  worker: string | null;
  actor: string | null;
  reason: string | null;
};

export type MessageDetail = OutboxItem & {
  policy: Policy | null;
  ambiguous: boolean;
  forced: boolean;
  callStartedAt: string | null;
  content: unknown;
  attemptLog: SendAttempt[];
};

/** An hour's attempts for 72 hours, and the decisions of people between them. */
const MOST_ATTEMPTS = 500;

/** One message with its history, oldest first; null when there is none, or not of this channel. */
export async function getMessage(
  sql: Executor,
  id: string,
  channel: Channel | null = null,
): Promise<MessageDetail | null> {
  const [row] = await sql<Omit<MessageDetail, "attemptLog">[]>`
    select ${outboxColumns(sql)}, message.ambiguous, message.forced, message.call_started_at as "callStartedAt",
      message.content, destination.policy
    from outbox_messages message left join destinations destination on destination.id = message.destination_id
    where message.id = ${id} ${channel ? sql`and message.channel = ${channel}` : sql``}`;
  if (!row) return null;
  const attempts = await sql<SendAttempt[]>`
    select kind, result, why, started_at as "startedAt", finished_at as "finishedAt",
      extract(epoch from finished_at - started_at)::float8 * 1000 as "latencyMs", status_code as "statusCode",
      response_body as "responseBody", evidence, worker_id as worker, actor, reason
    from outbox_attempts where message_id = ${id} order by id limit ${MOST_ATTEMPTS}`;
  return {
    ...toOutboxItem(row),
    callStartedAt: toIsoTimeOrNull(row.callStartedAt),
    attemptLog: attempts.map((attempt) => ({
      ...attempt,
      startedAt: toIsoTime(attempt.startedAt),
      finishedAt: toIsoTime(attempt.finishedAt),
    })),
  };
}
