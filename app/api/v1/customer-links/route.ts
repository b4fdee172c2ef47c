import { db } from "#app/db.ts";
import { putCustomerLink as put } from "#lib/admin/put-customer-link.ts";
import { putCustomerLink } from "#lib/api/endpoints/workspaces.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";

export const PUT = route(putCustomerLink, async ({ actor, body }) => {
  const outcome = await put(db(), actor, body);
  if (!outcome.ok) return outcome;
  const { created, released } = outcome.value;
  return succeed({ status: created ? 201 : 200, body: { ...body, released } });
});
