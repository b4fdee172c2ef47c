import { db } from "#app/db.ts";
import { listDestinations } from "#lib/api/endpoints/destinations.ts";
import { listDestinations as load } from "#lib/outbox/destination.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { toDestinationAnswer } from "./answer-destination.ts";

export const GET = route(listDestinations, async () =>
  succeed({ body: { items: (await load(db())).map(toDestinationAnswer) } }),
);
