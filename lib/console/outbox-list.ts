import type { Sql } from "#db/client.ts";
import type { OutboxStatus } from "#db/states.ts";
import { COUNT_CAP } from "./text.ts";

export type OutboxItem = {
  id: string;
  topic: string;
  channel: string;
  destination: string;
  sourceId: string;
  account: string;
  subject: string;
  status: OutboxStatus;
  attempts: number;
  lastError: string | null;
  inboxEventId: string | null;
  createdAt: string;
};

export type OutboxPage = { items: OutboxItem[]; pending: number; now: string };

/** The newest messages, and how many still wait. */
export async function listOutbox(sql: Sql): Promise<OutboxPage> {
  const [items, [rest]] = await Promise.all([
    sql<OutboxItem[]>`
      select id, topic, channel, destination, source_id as "sourceId", account, subject, status, attempts,
        last_error as "lastError", inbox_event_id as "inboxEventId", created_at as "createdAt"
      from outbox_messages order by created_at desc, id desc limit 100`,
    sql<{ pending: number; now: string }[]>`
      select now() as now, (select count(*)::int from (
        select 1 from outbox_messages where status = 'pending' limit ${COUNT_CAP + 1}) p) as pending`,
  ]);
  return { items: [...items], ...rest! };
}
