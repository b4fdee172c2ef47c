import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { writeAudit } from "./audit.ts";
import { describeSource, type SourceView } from "./describe-source.ts";

export type SetCapture = { id: string; on: boolean; reason: string };

/**
 * Switches capture on for 24 hours from now, or off. Only where nothing can be verified yet: once it can, the receiver
 * judges requests and has no use for unverified ones. Off again changes nothing.
 */
export async function setCapture(
  sql: Sql,
  actor: Actor,
  { id, on, reason }: SetCapture,
): Promise<Outcome<SourceView>> {
  return (await sql.begin(async (tx) => {
    await tx`select from sources where id = ${id} for no key update`;
    const before = await describeSource(tx, id);
    if (!before) return refuse("not_found", "There is no such source.");
    if (on && before.readiness.state !== "unconfigured") {
      return refuse("conflict", "Verification is configured, so requests are judged and none is captured.");
    }
    if (!on && before.captureUntil === null) return succeed(before);
    await tx`
      update sources set capture_until = ${on ? tx`now() + interval '24 hours'` : null}, updated_at = now()
      where id = ${id}`;
    const after = (await describeSource(tx, id))!;
    await writeAudit(tx, actor, {
      action: on ? "source.capture-on" : "source.capture-off",
      target: `source:${id}`,
      reason,
      before: { captureUntil: before.captureUntil },
      after: { captureUntil: after.captureUntil },
    });
    return succeed(after);
  })) as Outcome<SourceView>;
}
