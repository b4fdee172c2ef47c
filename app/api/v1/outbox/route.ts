import { readDb } from "#app/db.ts";
import { listOutbox } from "#lib/api/endpoints/outbox.ts";
import { listOutbox as load } from "#lib/api/reads/list-outbox.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";

export const GET = route(listOutbox, async ({ query: { limit, cursor, ...filter } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await load(readDb(), filter, limit, after.value) }) : after;
});
