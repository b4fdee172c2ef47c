import { db, readDb } from "#app/db.ts";
import { listReconciliations, postReconciliation } from "#lib/api/endpoints/reconciliations.ts";
import { listRuns } from "#lib/api/reads/reconciliations.ts";
import { succeed } from "#lib/outcome.ts";
import { requestRun } from "#lib/reconcile/request-run.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";
import { answerRun } from "./answer-run.ts";

export const GET = route(listReconciliations, async ({ query: { limit, cursor, ...filter } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await listRuns(readDb(), filter, limit, after.value) }) : after;
});

export const POST = route(postReconciliation, async ({ actor, body }) =>
  answerRun(await requestRun(db(), actor, body), 202),
);
