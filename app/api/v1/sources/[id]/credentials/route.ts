import { db } from "#app/db.ts";
import { putCredentials as put } from "#lib/admin/put-credentials.ts";
import { putCredentials } from "#lib/api/endpoints/sources.ts";
import { route } from "../../../handler.ts";
import { secretKey } from "../../../secret-key.ts";
import { answerSource } from "../../answer-source.ts";

export const PUT = route(putCredentials, async ({ actor, params, body }) =>
  answerSource(await put(db(), actor, secretKey(), { ...body, id: params.id })),
);
