import { db } from "#app/db.ts";
import { confirmContract as confirm } from "#lib/admin/confirm-contract.ts";
import { confirmContract } from "#lib/api/endpoints/source-tools.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../../../handler.ts";
import { toSourceAnswer } from "../../../answer-source.ts";

export const POST = route(confirmContract, async ({ actor, params, body }) => {
  const outcome = await confirm(db(), actor, { ...body, id: params.id });
  if (!outcome.ok) return outcome;
  return succeed({ body: { ...outcome.value, source: toSourceAnswer(outcome.value.source) } });
});
