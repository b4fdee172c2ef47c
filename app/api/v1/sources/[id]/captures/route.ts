import { db } from "#app/db.ts";
import { describeSource } from "#lib/admin/describe-source.ts";
import { listCaptures } from "#lib/api/endpoints/source-tools.ts";
import { listCaptures as load } from "#lib/api/reads/list-captures.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";
import { readPosition } from "../../../page-position.ts";

export const GET = route(listCaptures, async ({ params, query: { limit, cursor } }) => {
  const after = readPosition(cursor);
  if (!after.ok) return after;
  if (!(await describeSource(db(), params.id))) return refuse("not_found", "There is no such source.");
  return succeed({ body: await load(db(), params.id, limit, after.value) });
});
