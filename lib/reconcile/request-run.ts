import { v7 as uuidv7 } from "uuid";
import type { Sql, Tx } from "#db/client.ts";
import type { RunTrigger, SourceKind } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { recoveryOf } from "#lib/recovery/index.ts";

export type RunRequest = {
  source: string;
  /** ISO 8601; from is inside, to is outside. */
  from: string;
  to: string;
  repair: boolean;
  /** Repair by asking the sender to deliver again, where it can. */
  redeliver?: boolean;
  reason?: string | null;
  /** Repair these gaps alone. */
  gaps?: readonly string[];
};

/** Asks for a run; a worker takes it within seconds. The id of the run. */
export async function requestRun(
  sql: Sql,
  actor: Actor,
  request: RunRequest,
  trigger: RunTrigger = "request",
): Promise<Outcome<string>> {
  return (await sql.begin(async (tx) => {
    const refusal = await checkRequest(tx, request);
    if (refusal) return refusal;
    const id = await insertRun(tx, actor, request, trigger);
    const { source, from, to, repair, redeliver = false, gaps } = request;
    await writeAudit(tx, actor, {
      action: "reconciliation.request",
      target: `reconciliation:${id}`,
      reason: request.reason,
      before: null,
      after: { source, from, to, repair, redeliver, trigger, ...(gaps && { gaps: gaps.length }) },
    });
    return succeed(id);
  })) as Outcome<string>;
}

async function checkRequest(tx: Tx, { source, from, to }: RunRequest) {
  const [row] = await tx<{ kind: SourceKind; ready: boolean; ahead: boolean }[]>`
    select kind, exists (select from source_credentials where source_id = source.id) as ready,
      ${from}::timestamptz >= now() as ahead
    from sources source where id = ${source}`;
  if (!row) return refuse("not_found", "There is no such source.");
  if (!recoveryOf(row.kind))
    return refuse("unacceptable", `A sender of kind ${row.kind} offers no list to compare with.`);
  if (!row.ready) return refuse("conflict", "The source has no credentials for calls to its sender's API.");
  if (Date.parse(from) >= Date.parse(to)) return refuse("unacceptable", "The window ends before it begins.");
  return row.ahead ? refuse("unacceptable", "The window has not begun yet.") : null;
}

/** What lies ahead cannot be compared: the window ends now at the latest. */
export async function insertRun(
  tx: Tx,
  actor: Pick<Actor, "name">,
  request: RunRequest,
  trigger: RunTrigger,
): Promise<string> {
  const id = uuidv7();
  await tx`
    insert into reconciliation_runs (id, source_id, trigger, actor, reason, window_from, window_to, repair, redeliver,
      only_gaps, next_attempt_at)
    values (${id}, ${request.source}, ${trigger}, ${actor.name}, ${request.reason ?? null}, ${request.from},
      least(${request.to}::timestamptz, now()), ${request.repair}, ${request.redeliver ?? false},
      ${request.gaps ? [...request.gaps] : null}, now())`;
  return id;
}
