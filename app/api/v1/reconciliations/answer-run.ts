import { db } from "#app/db.ts";
import { getRun, type RunItem } from "#lib/api/reads/reconciliations.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

/** The run that a change was about, as it is now. */
export async function answerRun<Status extends number>(
  outcome: Outcome<string>,
  status: Status,
): Promise<Outcome<{ status: Status; body: RunItem }>> {
  if (!outcome.ok) return outcome;
  const run = await getRun(db(), outcome.value);
  return run ? succeed({ status, body: run }) : refuse("not_found", "There is no such run.");
}
