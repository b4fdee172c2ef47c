import { db } from "#app/db.ts";
import { getConflicts } from "#lib/api/endpoints/conflicts.ts";
import { getConflicts as load } from "#lib/api/reads/get-conflicts.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const GET = route(getConflicts, async ({ params }) => {
  const conflicts = await load(db(), params.id);
  return conflicts ? succeed({ body: conflicts }) : refuse("not_found", "There is no such event.");
});
