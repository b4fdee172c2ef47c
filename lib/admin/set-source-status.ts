import type { Sql, Tx } from "#db/client.ts";
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
      if (status === "active") await forgetPausedTime(tx, id);
      const action = status === "paused" ? "source.pause" : "source.resume";
      const before = { status: status === "paused" ? "active" : "paused" };
      await writeAudit(tx, actor, { action, target: `source:${id}`, reason, before, after: { status } });
      await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
    }
    const source = await describeSource(tx, id);
    return source ? succeed(source) : refuse("not_found", "There is no such source.");
  })) as Outcome<SourceView>;
}

/** A retry round lasts 72 hours of active time: its beginning moves on by as long as the source was paused. */
async function forgetPausedTime(tx: Tx, id: string): Promise<void> {
  await tx`
    update inbox_events set round_started_at = round_started_at + (now() - greatest(round_started_at, pause.at))
    from (
      select at from audit_entries where target = ${`source:${id}`} and action = 'source.pause' order by id desc limit 1
    ) pause
    where source_id = ${id} and status = 'pending' and round_started_at is not null`;
}
