import { db } from "#app/db.ts";
import { getDelivery } from "#lib/api/endpoints/outbox.ts";
import { getMessage as load } from "#lib/api/reads/get-message.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const GET = route(getDelivery, async ({ params }) => {
  const message = await load(db(), params.id, "webhook");
  return message ? succeed({ body: message }) : refuse("not_found", "There is no such delivery.");
});
