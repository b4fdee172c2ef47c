import { readDb } from "#app/db.ts";
import { listFeedback } from "#lib/api/endpoints/feedback.ts";
import { listFeedback as load } from "#lib/feedback/list-feedback.ts";
import { succeed } from "#lib/outcome.ts";
import { route } from "../handler.ts";
import { readPosition } from "../page-position.ts";

export const GET = route(listFeedback, async ({ query: { limit, cursor, ...filter } }) => {
  const after = readPosition(cursor);
  return after.ok ? succeed({ body: await load(readDb(), filter, limit, after.value) }) : after;
});
