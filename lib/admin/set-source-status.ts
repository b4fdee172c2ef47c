import type { Sql } from "#db/client.ts";
import type { SourceStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { writeAudit } from "./audit.ts";
import { describeSource, type SourceView } from "./describe-source.ts";

export type SetSourceStatus = { id: string; status: SourceStatus; reason?: string };

/** Pauses or resumes the processing of a source; it keeps receiving either way. The same again changes nothing. */
export async function setSourceStatus(
  sql: Sql,
  actor: Actor,
  { id, status, reason }: SetSourceStatus,
): Promise<Outcome<SourceView>> {
  return (await sql.begin(async (tx) => {
    const { count } = await tx`
      update sources set status = ${status}, updated_at = now() where id = ${id} and status <> ${status}`;
    if (count === 1) {
      const action = status === "paused" ? "source.pause" : "source.resume";
      const before = { status: status === "paused" ? "active" : "paused" };
      await writeAudit(tx, actor, { action, target: `source:${id}`, reason, before, after: { status } });
      await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
    }
    const source = await describeSource(tx, id);
    return source ? succeed(source) : refuse("not_found", "There is no such source.");
  })) as Outcome<SourceView>;
}
