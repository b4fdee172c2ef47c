import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { DATABASE_CLOCK } from "#lib/outbox/clock.ts";
import { describeDestination } from "#lib/outbox/destination.ts";
import { renderFor } from "#lib/outbox/fan-out.ts";
import { insertMessages } from "#lib/outbox/insert-messages.ts";
import { BUILT_IN_EMAIL } from "#lib/outbox/message.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { writeAudit } from "./audit.ts";

/** A test that arrives a day later tells nobody anything. */
const TEST_WINDOW_HOURS = 1;

/**
 * Writes a test message to one destination. It goes the way of every other: through the outbox, by the same dispatcher
 * and the same checks, and what came of it is its history. A broken destination is probed at once.
 */
export async function testDestination(
  sql: Sql,
  actor: Actor,
  { id, link }: { id: string; link: (message: string) => string },
): Promise<Outcome<{ message: string }>> {
  return (await sql.begin(async (tx) => {
    const destination = await describeDestination(tx, id);
    if (!destination) return refuse("not_found", "There is no such destination.");
    if (destination.status !== "active")
      return refuse("conflict", `It is ${destination.status}: nothing goes there now.`, destination.status);
    const to = id === BUILT_IN_EMAIL ? destination.owner : id;
    if (!to) return refuse("conflict", "The built-in e-mail has no owner to send a test to: give it one.");
    const message = uuidv7();
    const at = new Date().toISOString();
    const notice = { topic: "destination.test" as const, data: { destination: id }, at, link: link(message) };
    const row = {
      id: message,
      key: JSON.stringify(["counterfoil", "-", message, "destination-test", "test", id]),
      source: "counterfoil",
      account: "-",
      subject: message,
      operation: "destination-test",
      event: null,
      topic: notice.topic,
      channel: destination.channel,
      destination: to,
      destinationId: id,
      content: renderFor(destination.channel, notice),
    };
    await insertMessages(tx, DATABASE_CLOCK, [row], TEST_WINDOW_HOURS);
    await tx`update destinations set probe_at = now() where id = ${id} and broken_since is not null`;
    await writeAudit(tx, actor, {
      action: "destination.test",
      target: `destination:${id}`,
      before: null,
      after: { message },
    });
    return succeed({ message });
  })) as Outcome<{ message: string }>;
}
