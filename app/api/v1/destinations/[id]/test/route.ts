import { db } from "#app/db.ts";
import { testDestination as test } from "#lib/admin/test-destination.ts";
import { testDestination } from "#lib/api/endpoints/destinations.ts";
import { env } from "#lib/env.ts";
import { messageLink } from "#lib/outbox/link.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const POST = route(testDestination, async ({ actor, params }) => {
  const outcome = await test(db(), actor, { id: params.id, link: messageLink(env().PUBLIC_URL) });
  return outcome.ok ? succeed({ status: 202, body: outcome.value }) : outcome;
});
