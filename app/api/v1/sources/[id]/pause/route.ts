import { db } from "#app/db.ts";
import { setSourceStatus } from "#lib/admin/set-source-status.ts";
import { pauseSource } from "#lib/api/endpoints/sources.ts";
import { route } from "../../../handler.ts";
import { answerSource } from "../../answer-source.ts";

export const POST = route(pauseSource, async ({ actor, params, body }) =>
  answerSource(await setSourceStatus(db(), actor, { id: params.id, status: "paused", reason: body.reason })),
);
