import type { Sql, Tx } from "#db/client.ts";
import type { SourceKind } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { recoveryOf } from "#lib/recovery/index.ts";
import { insertRun } from "./request-run.ts";

export type Restored = {
  /** Messages that may have left after the backup was made: they are for review now. */
  held: number;
  /** Destinations that send nothing until somebody resumes them. */
  paused: string[];
  /** Runs from the time of the backup on, one per source that has a list and credentials. */
  runs: { source: string; run: string }[];
  /** Sources that nothing can be compared with: what came after the backup has to be asked for at the sender. */
  uncovered: string[];
};

/** Minutes before the backup that are compared as well: its own transactions were under way. */
const OVERLAP = 60;

/**
 * After a restore from a backup of the time `at`: nothing may be sent twice and nothing may be missing. Messages that
 * were open in the backup may have left since, so a person decides on each; destinations are paused, for what a
 * reconciliation grants anew may have been announced before; and every source is compared, and repaired, from then on.
 */
export async function startAfterRestore(
  sql: Sql,
  actor: Actor,
  { at, reason }: { at: string; reason: string },
): Promise<Outcome<Restored>> {
  return (await sql.begin(async (tx) => {
    const [clock] = await tx`select ${at}::timestamptz >= now() as ahead`;
    if (clock!.ahead) return refuse("unacceptable", "The backup cannot be from a time ahead.");
    const paused = await tx<{ id: string }[]>`
      update destinations set status = 'paused', status_reason = ${reason}, held_since = coalesce(held_since, now()),
        updated_at = now() where status = 'active' returning id`;
    const { count: held } = await tx`
      update outbox_messages set status = 'unknown', ambiguous = true, version = version + 1, next_attempt_at = null,
        lease_until = null, call_started_at = null, last_error = 'the database was restored: it may have been sent'
      where status in ('pending', 'sending')`;
    const { runs, uncovered } = await reconcileAll(tx, actor, at, reason);
    const result = { held, paused: paused.map(({ id }) => id), runs, uncovered };
    await writeAudit(tx, actor, {
      action: "database.restored",
      target: "database",
      reason,
      before: null,
      after: { at, ...result },
    });
    return succeed(result);
  })) as Outcome<Restored>;
}

async function reconcileAll(tx: Tx, actor: Actor, at: string, reason: string) {
  const sources = await tx<{ id: string; kind: SourceKind; from: string; to: string; ready: boolean }[]>`
    select id, kind, ${at}::timestamptz - make_interval(mins => ${OVERLAP}) as from, now() as to,
      exists (select from source_credentials where source_id = source.id) as ready
    from sources source where kind <> 'manual' order by id`;
  const runs: Restored["runs"] = [];
  const uncovered: string[] = [];
  for (const { id, kind, from, to, ready } of sources) {
    if (!ready || !recoveryOf(kind)) uncovered.push(id);
    else
      runs.push({
        source: id,
        run: await insertRun(tx, actor, { source: id, from, to, repair: true, reason }, "restored"),
      });
  }
  return { runs, uncovered };
}
