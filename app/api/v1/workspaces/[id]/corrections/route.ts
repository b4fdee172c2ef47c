import { db } from "#app/db.ts";
import { correctCredits as correct } from "#lib/admin/correct-credits.ts";
import { correctCredits } from "#lib/api/endpoints/corrections.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const POST = route(correctCredits, async ({ actor, params, body }) => {
  const outcome = await correct(db(), actor, { ...body, workspace: params.id });
  if (!outcome.ok) return outcome;
  return succeed({ status: outcome.value.status === "accepted" ? 202 : 200, body: outcome.value });
});
