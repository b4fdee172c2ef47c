import { db } from "#app/db.ts";
import { listOperationItems } from "#lib/api/endpoints/operations.ts";
import { getOperation, listItems } from "#lib/api/reads/operations.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const GET = route(listOperationItems, async ({ params, query: { limit, cursor, verdict } }) => {
  if (!(await getOperation(db(), params.id))) return refuse("not_found", "There is no such operation.");
  return succeed({ body: await listItems(db(), params.id, { verdict }, limit, Number(cursor ?? 0)) });
});
