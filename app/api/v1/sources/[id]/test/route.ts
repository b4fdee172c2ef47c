import { db } from "#app/db.ts";
import { ownOrigin } from "#app/own-origin.ts";
import { secretKeys } from "#app/secret-keys.ts";
import { sendTestEvent } from "#lib/admin/send-test-event.ts";
import { testSource } from "#lib/api/endpoints/source-tools.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const POST = route(testSource, async ({ actor, params, body }) => {
  const outcome = await sendTestEvent(db(), actor, secretKeys(), ownOrigin(), { ...body, id: params.id });
  return outcome.ok ? succeed({ body: outcome.value }) : outcome;
});
