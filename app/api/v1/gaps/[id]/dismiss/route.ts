import { db } from "#app/db.ts";
import { dismissGap } from "#lib/api/endpoints/reconciliations.ts";
import { getGap } from "#lib/api/reads/reconciliations.ts";
import { succeed } from "#lib/outcome.ts";
import { dismissGap as dismiss } from "#lib/reconcile/dismiss-gap.ts";
import { route } from "../../../handler.ts";

export const POST = route(dismissGap, async ({ actor, params, body }) => {
  const outcome = await dismiss(db(), actor, { id: params.id, reason: body.reason });
  return outcome.ok ? succeed({ body: (await getGap(db(), params.id))! }) : outcome;
});
