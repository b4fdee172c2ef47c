import { db } from "#app/db.ts";
import { resolveEvent } from "#lib/api/endpoints/resolve.ts";
import { resolveEvent as resolve } from "#lib/inbox/resolve.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const POST = route(resolveEvent, async ({ actor, params, body }) => {
  const outcome = await resolve(db(), actor, { ...body, id: params.id });
  return outcome.ok ? succeed({ body: outcome.value }) : outcome;
});
