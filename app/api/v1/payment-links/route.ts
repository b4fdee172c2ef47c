import { db } from "#app/db.ts";
import { putPaymentLink as put } from "#lib/admin/put-payment-link.ts";
import { putPaymentLink } from "#lib/api/endpoints/corrections.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";

export const PUT = route(putPaymentLink, async ({ actor, body }) => {
  const outcome = await put(db(), actor, body);
  if (!outcome.ok) return outcome;
  const { created, released } = outcome.value;
  return succeed({ status: created ? 201 : 200, body: { ...body, released } });
});
