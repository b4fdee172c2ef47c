import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse } from "#lib/outcome.ts";
import { requestRun } from "./request-run.ts";

export type RepairRequest = {
  source: string /** Null: every one. */;
  gaps: readonly string[] | null;
  reason: string;
};

/**
 * Repairs open gaps of a source, by a run over the time in which they happened: what is put in is what the sender's
 * books say now, not what they said when the gap was found. The id of the run.
 */
export async function repairGaps(
  sql: Sql,
  actor: Actor,
  { source, gaps, reason }: RepairRequest,
): Promise<Outcome<string>> {
  const [span] = await sql<{ from: string | null; to: string; count: number }[]>`
    select min(happened_at) as from, max(happened_at) + interval '1 second' as to, count(*)::int as count
    from reconciliation_gaps where source_id = ${source} and status = 'open' and repairable
      and (${gaps === null} or id = any(${[...(gaps ?? [])]}::uuid[]))`;
  if (!span || span.from === null || (gaps && span.count < new Set(gaps).size))
    return refuse("conflict", "Not all of these gaps are open and can be repaired; look at the list again.");
  return await requestRun(sql, actor, {
    source,
    from: span.from,
    to: span.to,
    repair: true,
    reason,
    ...(gaps && { gaps }),
  });
}
