import { db } from "#app/db.ts";
import { describeSource } from "#lib/admin/describe-source.ts";
import { putSource as put } from "#lib/admin/put-source.ts";
import { withSecretsJudged } from "#lib/admin/secret-health.ts";
import { getSource, putSource } from "#lib/api/endpoints/sources.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { secretKeys } from "#lib/secret-keys.ts";
import { route } from "../../handler.ts";
import { secretKey } from "../../secret-key.ts";
import { answerSource, toSourceAnswer } from "../answer-source.ts";

export const GET = route(getSource, async ({ params }) => {
  const found = await describeSource(db(), params.id);
  if (!found) return refuse("not_found", "There is no such source.");
  const [source] = await withSecretsJudged(db(), secretKeys(), [found]);
  return answerSource(succeed(source!));
});

export const PUT = route(putSource, async ({ actor, params, body }) => {
  const outcome = await put(db(), actor, secretKey(), { ...body, id: params.id });
  if (!outcome.ok) return outcome;
  const { created, source } = outcome.value;
  return succeed({ status: created ? 201 : 200, body: toSourceAnswer(source) });
});
