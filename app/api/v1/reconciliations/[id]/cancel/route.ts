import { db } from "#app/db.ts";
import { cancelReconciliation } from "#lib/api/endpoints/reconciliations.ts";
import { cancelRun } from "#lib/reconcile/cancel-run.ts";
import { route } from "../../../handler.ts";
import { answerRun } from "../../answer-run.ts";

export const POST = route(cancelReconciliation, async ({ actor, params, body }) =>
  answerRun(await cancelRun(db(), actor, { id: params.id, reason: body.reason }), 200),
);
