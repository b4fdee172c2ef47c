import type { Sql } from "#db/client.ts";
import type { FeedbackStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

export type FeedbackKey = { source: string; project: string; feedback: string };

/** What a person does with feedback. `assign` names who takes it up; `reopen` undoes a resolution. */
export type FeedbackChange =
  | { do: "acknowledge" }
  | { do: "assign"; assignee: string }
  | { do: "resolve" }
  | { do: "reopen" };

const LEADS_TO: Record<FeedbackChange["do"], FeedbackStatus> = {
  acknowledge: "acknowledged",
  assign: "assigned",
  resolve: "resolved",
  reopen: "new",
};

/**
 * Changes feedback in the version that was shown, with its audit entry; a conflict where somebody else, or an
 * escalation, was first. Returns the new version.
 */
export async function changeFeedback(
  sql: Sql,
  actor: Actor,
  key: FeedbackKey,
  version: number,
  change: FeedbackChange,
): Promise<Outcome<number>> {
  return (await sql.begin(async (tx) => {
    const [row] = await tx<{ status: FeedbackStatus; assignee: string | null; version: number }[]>`
      select status, assignee, version from feedback
      where (source_id, account, feedback_id) = (${key.source}, ${key.project}, ${key.feedback}) for update`;
    if (!row) return refuse("not_found", "There is no such feedback.");
    if (row.version !== version)
      return refuse("conflict", `Meanwhile it is ${row.status}. Look at it again.`);
    if ((change.do === "reopen") !== (row.status === "resolved"))
      return refuse("conflict", row.status === "resolved" ? "It is resolved." : "It is open.");
    const status = LEADS_TO[change.do];
    const assignee = change.do === "assign" ? change.assignee : row.assignee;
    await tx`
      update feedback set status = ${status}, assignee = ${assignee}, version = version + 1, updated_at = now()
      where (source_id, account, feedback_id) = (${key.source}, ${key.project}, ${key.feedback})`;
    await writeAudit(tx, actor, {
      action: `feedback.${change.do}`,
      target: `feedback:${JSON.stringify([key.source, key.project, key.feedback])}`,
      before: { status: row.status, assignee: row.assignee },
      after: { status, assignee },
    });
    return succeed(version + 1);
  })) as Outcome<number>;
}
