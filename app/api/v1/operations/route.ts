import { db, readDb } from "#app/db.ts";
import { listOperations, postOperation } from "#lib/api/endpoints/operations.ts";
import { toIsoTime } from "#lib/api/iso-time.ts";
import { listOperations as load } from "#lib/api/reads/operations.ts";
import { findAction } from "#lib/operations/actions.ts";
import { freezeOperation } from "#lib/operations/freeze.ts";
import { startOperation } from "#lib/operations/start.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";
import { refuseUnless } from "../refuse-unless.ts";

export const GET = route(listOperations, async ({ query: { limit, cursor } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await load(readDb(), limit, after.value) }) : after;
});

export const POST = route(postOperation, async ({ actor, body: { dryRun, token, count, ...request } }) => {
  const refused = refuseUnless(actor, findAction(request.action)!.asks);
  if (refused) return refused;
  const asked = { ...request, filter: request.filter as Record<string, unknown> };
  if (dryRun === (token !== undefined))
    return refuse("unacceptable", "Ask with dryRun first, then with the token that it gave.");
  if (token === undefined) {
    const frozen = await freezeOperation(db(), actor, asked);
    if (!frozen.ok) return frozen;
    const expiresAt = toIsoTime(frozen.value.expiresAt);
    return succeed({ status: 200, body: { ...frozen.value, expiresAt, startsAt: null } });
  }
  const started = await startOperation(db(), actor, { ...asked, token, count });
  if (!started.ok) return started;
  const startsAt = toIsoTime(started.value.startsAt);
  return succeed({ status: 202, body: { ...started.value, startsAt, token: null, expiresAt: null } });
});
