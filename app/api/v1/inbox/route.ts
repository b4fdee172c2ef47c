import { readDb } from "#app/db.ts";
import { listInbox } from "#lib/api/endpoints/inbox.ts";
import { listInbox as load } from "#lib/api/reads/list-inbox.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";

export const GET = route(listInbox, async ({ query: { limit, cursor, ...filter } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await load(readDb(), filter, limit, after.value) }) : after;
});
