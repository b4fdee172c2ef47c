import type { Sql } from "#db/client.ts";
import type { GapStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

/** A person's answer to a gap that nothing here can close. It stays dismissed when a later run finds it again. */
export async function dismissGap(
  sql: Sql,
  actor: Actor,
  { id, reason }: { id: string; reason: string },
): Promise<Outcome<string>> {
  return (await sql.begin(async (tx) => {
    const [gap] = await tx<{ status: GapStatus; class: string; subject: string }[]>`
      select status, class, subject from reconciliation_gaps where id = ${id} for update`;
    if (!gap) return refuse("not_found", "There is no such gap.");
    if (gap.status === "dismissed") return succeed(id);
    if (gap.status === "closed") return refuse("conflict", "The gap is closed already.");
    await tx`
      update reconciliation_gaps set status = 'dismissed', closed_at = now(), closed_by = ${actor.name},
        closed_why = ${reason}, receipt_body = null, receipt_headers = null where id = ${id}`;
    await writeAudit(tx, actor, {
      action: "gap.dismiss",
      target: `gap:${id}`,
      reason,
      before: { status: gap.status, class: gap.class, subject: gap.subject },
      after: { status: "dismissed" },
    });
    return succeed(id);
  })) as Outcome<string>;
}
