import { db } from "#app/db.ts";
import { putWorkspace as put } from "#lib/admin/put-workspace.ts";
import { getWorkspace, putWorkspace } from "#lib/api/endpoints/workspaces.ts";
import { getWorkspace as load } from "#lib/api/reads/get-workspace.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../handler.ts";
import { readPosition } from "../../page-position.ts";

const NEWEST = 100;

export const GET = route(getWorkspace, async ({ params, query }) => {
  const after = readPosition(query.cursor);
  if (!after.ok) return after;
  // Not the replica: a balance is asked for right after an event was sent.
  const workspace = await load(db(), params.id, query.limit, after.value);
  return workspace ? succeed({ body: workspace }) : refuse("not_found", "There is no such workspace.");
});

export const PUT = route(putWorkspace, async ({ actor, params, body }) => {
  const outcome = await put(db(), actor, { ...body, id: params.id });
  if (!outcome.ok) return outcome;
  const workspace = await load(db(), params.id, NEWEST, null);
  if (!workspace) throw new Error("a workspace is never deleted");
  return succeed({ status: outcome.value.created ? 201 : 200, body: workspace });
});
