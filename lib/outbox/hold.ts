import type { Sql, Tx } from "#db/client.ts";
import type { Channel } from "#db/states.ts";
import { type Clock, TX_NOW } from "./clock.ts";

/**
 * Marks destinations of channels that this installation is not set up for (e-mail without SMTP_URL), and lets go of
 * those that it is set up for by now. Their messages wait meanwhile, nothing is held against them, and the time does
 * not count: their window goes on where it stopped.
 */
export async function holdMissing(sql: Sql, clock: Clock, missing: readonly Channel[]): Promise<void> {
  await sql.begin(async (tx) => {
    await tx.unsafe(HOLD, [clock.offsetSeconds, missing as string[]]);
    const rows = await tx.unsafe<{ id: string }[]>(HELD_NO_MORE, [missing as string[]]);
    for (const { id } of rows) await letGo(tx, clock, id);
  });
}

const HOLD = `
update destinations set held_since = ${TX_NOW}
where channel = any($2::text[]) and held_since is null`;

const HELD_NO_MORE = `
select id from destinations
where channel <> all($1::text[]) and held_since is not null and status <> 'paused'
order by id for no key update`;

/** Moves the windows of a destination's waiting messages on by as long as it was held. Its row must be locked. */
export async function letGo(tx: Tx, clock: Clock, id: string): Promise<void> {
  await tx.unsafe(MOVE_WINDOWS, [clock.offsetSeconds, id]);
  await tx`update destinations set held_since = null where id = ${id}`;
}

const MOVE_WINDOWS = `
update outbox_messages message
set deadline_at = message.deadline_at + (${TX_NOW} - greatest(destination.held_since, message.created_at))
from destinations destination
where destination.id = $2 and destination.held_since is not null
  and message.destination_id = destination.id and message.status = 'pending' and not message.forced`;
