import { readDb } from "#app/db.ts";
import { listRejections } from "#lib/api/endpoints/running.ts";
import { listRejections as load } from "#lib/api/reads/list-rejections.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";

export const GET = route(listRejections, async ({ query: { limit, cursor, ...filter } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await load(readDb(), filter, limit, after.value?.id ?? null) }) : after;
});
