import { db } from "#app/db.ts";
import { resolveMessage } from "#lib/api/endpoints/outbox.ts";
import { resolveMessage as resolve } from "#lib/outbox/resolve.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const POST = route(resolveMessage, async ({ actor, params, body }) => {
  const outcome = await resolve(db(), actor, { ...body, id: params.id });
  return outcome.ok ? succeed({ body: outcome.value }) : outcome;
});
