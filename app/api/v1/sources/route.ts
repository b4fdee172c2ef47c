import { db } from "#app/db.ts";
import { listSources as load } from "#lib/admin/describe-source.ts";
import { withSecretsJudged } from "#lib/admin/secret-health.ts";
import { listSources } from "#lib/api/endpoints/sources.ts";
import { succeed } from "#lib/outcome.ts";
import { secretKeys } from "#lib/secret-keys.ts";
import { route } from "../handler.ts";
import { toSourceAnswer } from "./answer-source.ts";

export const GET = route(listSources, async () => {
  const sources = await withSecretsJudged(db(), secretKeys(), await load(db()));
  return succeed({ body: { items: sources.map(toSourceAnswer) } });
});
