import type { Sql } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import type { OperationStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

export type Cancelled = {
  operation: string;
  /** Nothing of it was done: it was undone in time. */
  undone: boolean;
};

/**
 * Ends an operation. Before its start that is an undo, for certain: a worker takes it up by compare-and-set on the same
 * row. After it, the step that is under way is finished, and all else is left alone.
 */
export async function cancelOperation(
  sql: Sql,
  actor: Actor,
  { id, reason }: { id: string; reason?: string },
): Promise<Outcome<Cancelled>> {
  return (await sql.begin(async (tx) => {
    const [row] = await tx<{ undone: boolean }[]>`
      update operations set status = 'cancelled', finished_at = now(), cancelled_by = ${actor.name}
      where id = ${id} and status in ('frozen', 'running')
      returning started_at is null as undone, ${tx.unsafe(DURABLE)}`;
    if (!row) {
      const [found] = await tx<{ status: OperationStatus }[]>`select status from operations where id = ${id}`;
      if (!found) return refuse("not_found", "There is no such operation.");
      return refuse("conflict", `It is ${found.status} already.`, found.status);
    }
    await writeAudit(tx, actor, {
      action: row.undone ? "operation.undo" : "operation.cancel",
      target: `operation:${id}`,
      reason,
      before: null,
      after: { status: "cancelled" },
    });
    return succeed({ operation: id, undone: row.undone });
  })) as Outcome<Cancelled>;
}
