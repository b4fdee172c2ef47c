import type { Sql, Tx } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { DATABASE_CLOCK } from "#lib/outbox/clock.ts";
import { type DestinationView, describeDestination } from "#lib/outbox/destination.ts";
import { letGo } from "#lib/outbox/hold.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { writeAudit } from "./audit.ts";

export type SetDestinationStatus = { id: string; status: "active" | "paused"; reason?: string };

/**
 * Pauses a destination, or lets it go on: from a pause, from having been disabled (410), or at once from a broken state
 * that would be probed later. Its messages wait in a pause, and the time does not count. The same again changes nothing.
 */
export async function setDestinationStatus(
  sql: Sql,
  actor: Actor,
  { id, status, reason }: SetDestinationStatus,
): Promise<Outcome<DestinationView>> {
  return (await sql.begin(async (tx) => {
    await tx`select id from destinations where id = ${id} for no key update`;
    const before = await describeDestination(tx, id);
    if (!before) return refuse("not_found", "There is no such destination.");
    const isSame = before.status === status && (status === "paused" || before.brokenSince === null);
    if (isSame) return succeed(before);
    await (status === "paused" ? pause(tx, id, reason) : resume(tx, id));
    await writeAudit(tx, actor, {
      action: status === "paused" ? "destination.pause" : "destination.resume",
      target: `destination:${id}`,
      reason,
      before: { status: before.status, brokenWhy: before.brokenWhy },
      after: { status },
    });
    return succeed((await describeDestination(tx, id))!);
  })) as Outcome<DestinationView>;
}

async function pause(tx: Tx, id: string, reason?: string): Promise<void> {
  await tx`
    update destinations set status = 'paused', status_reason = ${reason ?? null}, updated_at = now(),
      held_since = coalesce(held_since, now()) where id = ${id}`;
}

async function resume(tx: Tx, id: string): Promise<void> {
  await letGo(tx, DATABASE_CLOCK, id);
  await tx`
    update destinations set status = 'active', status_reason = null, updated_at = now(), failures = 0, probes = 0,
      broken_since = null, broken_why = null, probe_at = null where id = ${id}`;
}
