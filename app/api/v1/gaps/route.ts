import { readDb } from "#app/db.ts";
import { listGaps } from "#lib/api/endpoints/reconciliations.ts";
import { listGaps as load } from "#lib/api/reads/reconciliations.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";

export const GET = route(listGaps, async ({ query: { limit, cursor, ...filter } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await load(readDb(), filter, limit, after.value) }) : after;
});
