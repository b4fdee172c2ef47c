import { getReconciliation } from "#lib/api/endpoints/reconciliations.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../handler.ts";
import { answerRun } from "../answer-run.ts";

export const GET = route(getReconciliation, async ({ params }) => answerRun(succeed(params.id), 200));
