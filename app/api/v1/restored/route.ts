import { db } from "#app/db.ts";
import { postRestored } from "#lib/api/endpoints/restored.ts";
import { succeed } from "#lib/outcome.ts";
import { startAfterRestore } from "#lib/reconcile/after-restore.ts";
import { route } from "../handler.ts";

export const POST = route(postRestored, async ({ actor, body }) => {
  const outcome = await startAfterRestore(db(), actor, body);
  return outcome.ok ? succeed({ status: 202, body: outcome.value }) : outcome;
});
