import { db } from "#app/db.ts";
import { setCapture as set } from "#lib/admin/set-capture.ts";
import { setCapture } from "#lib/api/endpoints/source-tools.ts";
import { route } from "../../../handler.ts";
import { answerSource } from "../../answer-source.ts";

export const POST = route(setCapture, async ({ actor, params, body }) =>
  answerSource(await set(db(), actor, { ...body, id: params.id })),
);
