import { db } from "#app/db.ts";
import { getOperation } from "#lib/api/endpoints/operations.ts";
import { getOperation as load } from "#lib/api/reads/operations.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../handler.ts";

export const GET = route(getOperation, async ({ params }) => {
  const operation = await load(db(), params.id);
  return operation ? succeed({ body: operation }) : refuse("not_found", "There is no such operation.");
});
