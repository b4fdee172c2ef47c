import { db } from "#app/db.ts";
import { outboundAllowances } from "#app/outbound-allowances.ts";
import { secretKeys } from "#app/secret-keys.ts";
import { putDestination as put } from "#lib/admin/put-destination.ts";
import { getDestination, putDestination } from "#lib/api/endpoints/destinations.ts";
import { describeDestination } from "#lib/outbox/destination.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../handler.ts";
import { answerDestination, toDestinationAnswer } from "../answer-destination.ts";

export const GET = route(getDestination, async ({ params }) => {
  const destination = await describeDestination(db(), params.id);
  return answerDestination(
    destination ? succeed(destination) : refuse("not_found", "There is no such destination."),
  );
});

export const PUT = route(putDestination, async ({ actor, params, body }) => {
  const request = { ...body, url: body.url ?? null, to: body.to ?? null, id: params.id };
  const context = { keys: secretKeys(), outbound: { allow: outboundAllowances() } };
  const outcome = await put(db(), actor, context, request);
  if (!outcome.ok) return outcome;
  const { created, destination } = outcome.value;
  return succeed({ status: created ? 201 : 200, body: toDestinationAnswer(destination) });
});
