import { db } from "#app/db.ts";
import { getEvent } from "#lib/api/endpoints/inbox.ts";
import { getEvent as load } from "#lib/api/reads/get-event.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../handler.ts";

export const GET = route(getEvent, async ({ params }) => {
  const event = await load(db(), params.id);
  return event ? succeed({ body: event }) : refuse("not_found", "There is no such event.");
});
