import { db } from "#app/db.ts";
import { cancelOperation } from "#lib/api/endpoints/operations.ts";
import { getOperation } from "#lib/api/reads/operations.ts";
import { findAction } from "#lib/operations/actions.ts";
import { cancelOperation as cancel } from "#lib/operations/cancel.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";
import { refuseUnless } from "../../../refuse-unless.ts";

export const POST = route(cancelOperation, async ({ actor, params, body }) => {
  const operation = await getOperation(db(), params.id);
  const refused = refuseUnless(actor, findAction(operation?.action ?? "")?.asks ?? "operations.run");
  if (refused) return refused;
  if (!operation) return refuse("not_found", "There is no such operation.");
  const outcome = await cancel(db(), actor, { ...body, id: params.id });
  return outcome.ok ? succeed({ body: outcome.value }) : outcome;
});
