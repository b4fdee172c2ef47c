import { db } from "#app/db.ts";
import { repairGaps } from "#lib/api/endpoints/reconciliations.ts";
import { repairGaps as repair } from "#lib/reconcile/repair-gaps.ts";
import { route } from "../../handler.ts";
import { answerRun } from "../../reconciliations/answer-run.ts";

export const POST = route(repairGaps, async ({ actor, body }) =>
  answerRun(await repair(db(), actor, body), 202),
);
