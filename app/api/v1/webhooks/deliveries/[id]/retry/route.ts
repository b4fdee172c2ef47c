import { db } from "#app/db.ts";
import { retryDelivery } from "#lib/api/endpoints/outbox.ts";
import { getMessage as load } from "#lib/api/reads/get-message.ts";
import { retryDelivery as retry } from "#lib/outbox/resolve.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../../handler.ts";

export const POST = route(retryDelivery, async ({ actor, params, body }) => {
  if (!(await load(db(), params.id, "webhook"))) return refuse("not_found", "There is no such delivery.");
  const outcome = await retry(db(), actor, { ...body, id: params.id });
  return outcome.ok ? succeed({ status: 202, body: outcome.value }) : outcome;
});
