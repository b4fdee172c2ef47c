import type { Tx } from "#db/client.ts";
import type { Channel } from "#db/states.ts";
import { type Clock, TX_NOW } from "./clock.ts";
import type { Origin } from "./fan-out.ts";

/** A message about to be written; `key` is its operation key, `content` is frozen. */
export type NewMessage = Omit<Origin, "purpose" | "tenant"> & {
  id: string;
  key: string;
  topic: string;
  channel: Channel;
  destination: string;
  destinationId: string;
  content: Record<string, string>;
};

/** Writes messages that no effect asked for; one whose operation key is there already is left out. */
export async function insertMessages(
  tx: Tx,
  clock: Clock,
  messages: readonly NewMessage[],
  windowHours: number,
): Promise<number> {
  if (messages.length === 0) return 0;
  const { count } = await tx.unsafe(INSERT, [clock.offsetSeconds, JSON.stringify(messages), windowHours]);
  return count;
}

const INSERT = `
insert into outbox_messages (id, operation_key, inbox_event_id, source_id, account, subject, operation, topic, channel,
  destination, destination_id, content, created_at, next_attempt_at, deadline_at)
select id, key, event, source, account, subject, operation, topic, channel, destination, "destinationId", content,
  ${TX_NOW}, ${TX_NOW}, ${TX_NOW} + make_interval(hours => $3::int)
from json_to_recordset($2::text::json) as message (id uuid, key text, event uuid, source text, account text,
  subject text, operation text, topic text, channel text, destination text, "destinationId" text, content jsonb)
on conflict (operation_key) do nothing`;
