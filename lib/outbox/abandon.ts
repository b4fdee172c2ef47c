import { v7 as uuidv7 } from "uuid";
import type { Sql, Tx } from "#db/client.ts";
import type { DeliveryAbandoned } from "#lib/channels/notice.ts";
import { SENDING } from "./backoff.ts";
import { type Clock, TX_NOW } from "./clock.ts";
import { addressed, loadSubscriptions, renderFor } from "./fan-out.ts";
import { insertMessages, type NewMessage } from "./insert-messages.ts";
import { BUILT_IN_EMAIL } from "./message.ts";

type Abandoned = {
  id: string;
  source: string;
  account: string;
  subject: string;
  operation: string;
  topic: string;
  channel: string;
  destination: string;
  destinationId: string;
  tenant: string | null;
  owner: string | null;
  attempts: number;
  lastError: string | null;
  createdAt: string;
  at: string;
};

const STEP = 100;

/**
 * Gives up messages whose window is over, and tells their destination's owner: once per message, for the notice's
 * operation key is [message, "abandoned"], and in the same transaction. What is given up of such a notice itself is
 * told to nobody. Returns how many were given up. `link` makes the absolute URL of a message's page.
 */
export async function abandonOverdue(
  sql: Sql,
  clock: Clock,
  link: (message: string) => string,
): Promise<number> {
  let total = 0;
  for (let step = STEP; step === STEP; total += step) {
    step = (await sql.begin(async (tx) => {
      const rows = await tx.unsafe<Abandoned[]>(ABANDON, [clock.offsetSeconds, STEP], { prepare: true });
      await tellOwners(tx, clock, rows, link);
      return rows.length;
    })) as number;
  }
  return total;
}

const ABANDON = `
with over as materialized (
  select message.id from outbox_messages message
  where message.status = 'pending' and message.next_attempt_at <= ${TX_NOW}
    and message.deadline_at <= ${TX_NOW} and not message.forced
    and not exists (
      select from destinations where id = message.destination_id and held_since is not null)
  order by message.next_attempt_at limit $2 for update of message skip locked
)
update outbox_messages message
set status = 'abandoned', next_attempt_at = null, finished_at = ${TX_NOW}, version = message.version + 1
from over, destinations destination
where message.id = over.id and destination.id = message.destination_id
returning message.id, message.source_id as source, message.account, message.subject, message.operation, message.topic,
  message.channel, message.destination, message.destination_id as "destinationId", destination.owner,
  message.attempts, message.last_error as "lastError", message.created_at as "createdAt", ${TX_NOW} as at,
  (select tenant_id from source_accounts where source_id = message.source_id and account = message.account) as tenant`;

/** About whose end nothing more is said. */
const UNTOLD = ["delivery.abandoned", "destination.test"];

async function tellOwners(
  tx: Tx,
  clock: Clock,
  rows: readonly Abandoned[],
  link: (message: string) => string,
): Promise<void> {
  const told = rows.filter(({ topic }) => !UNTOLD.includes(topic));
  if (told.length === 0) return;
  const subscriptions = await loadSubscriptions(tx);
  const messages: NewMessage[] = told.flatMap((row) => {
    const notice = {
      topic: "delivery.abandoned" as const,
      data: describe(row),
      at: row.at,
      link: link(row.id),
    };
    const origin = {
      source: row.source,
      account: row.account,
      subject: row.subject,
      operation: row.operation,
      purpose: `abandoned:${row.id}`,
      tenant: row.tenant,
      event: null,
    };
    const others = subscriptions.filter(({ id }) => id !== row.destinationId);
    const owner: NewMessage[] = row.owner
      ? [
          {
            ...origin,
            id: uuidv7(),
            key: JSON.stringify([row.id, "abandoned"]),
            topic: notice.topic,
            channel: "email",
            destination: row.owner,
            destinationId: BUILT_IN_EMAIL,
            content: renderFor("email", notice),
          },
        ]
      : [];
    return [...owner, ...addressed(origin, notice, others)];
  });
  await insertMessages(tx, clock, messages, SENDING.windowHours);
}

function describe(row: Abandoned): DeliveryAbandoned {
  return {
    message: row.id,
    destination: row.destination,
    channel: row.channel,
    about: { topic: row.topic, subject: row.subject },
    attempts: row.attempts,
    lastError: row.lastError,
    createdAt: row.createdAt,
  };
}
