import type { Sql } from "#db/client.ts";
import type { RunStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

/**
 * Cancels a run. One that a worker is at ends with its present step, whose writes are undone; what was repaired before
 * stays repaired. Cancelled again changes nothing.
 */
export async function cancelRun(
  sql: Sql,
  actor: Actor,
  { id, reason }: { id: string; reason: string },
): Promise<Outcome<string>> {
  return (await sql.begin(async (tx) => {
    const [run] = await tx<{ status: RunStatus; asked: boolean; lost: boolean }[]>`
      select status, cancel_requested_at is not null as asked, coalesce(lease_until < now(), true) as lost
      from reconciliation_runs where id = ${id} for update`;
    if (!run) return refuse("not_found", "There is no such run.");
    if (run.status === "cancelled" || run.asked) return succeed(id);
    if (run.status === "done" || run.status === "failed") return refuse("conflict", "The run is over.");
    if (run.status === "pending" || run.lost) {
      await tx`
        update reconciliation_runs set status = 'cancelled', next_attempt_at = null, lease_token = null,
          lease_until = null, cancel_requested_at = now(), finished_at = now() where id = ${id}`;
    } else {
      await tx`update reconciliation_runs set cancel_requested_at = now() where id = ${id}`;
    }
    await tx`delete from reconciliation_seen where run_id = ${id}`;
    const after = { status: "cancelled" };
    await writeAudit(tx, actor, {
      action: "reconciliation.cancel",
      target: `reconciliation:${id}`,
      reason,
      before: { status: run.status },
      after,
    });
    return succeed(id);
  })) as Outcome<string>;
}
