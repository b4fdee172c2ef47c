import { db } from "#app/db.ts";
import { rotateSecret as rotate } from "#lib/admin/rotate-secret.ts";
import { rotateSecret } from "#lib/api/endpoints/sources.ts";
import { route } from "../../../handler.ts";
import { secretKey } from "../../../secret-key.ts";
import { answerSource } from "../../answer-source.ts";

export const POST = route(rotateSecret, async ({ actor, params, body }) =>
  answerSource(await rotate(db(), actor, secretKey(), { ...body, id: params.id })),
);
