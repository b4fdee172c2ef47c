import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { countNewer } from "#lib/console/inbox-list.ts";
import { load } from "../../load.ts";
import { loadInboxParams, toCursors, toFilter } from "../search-params.ts";

export const dynamic = "force-dynamic";

/** How many rows of a filtered list came after a cursor, up to 100. */
export async function GET(request: Request): Promise<Response> {
  await requirePage("inbox.read");
  const params = loadInboxParams(request);
  const { after } = toCursors(params);
  if (!after)
    return Response.json({ error: { code: "invalid", message: "after is missing" } }, { status: 400 });
  const count = await load("newer rows", countNewer(readDb(), toFilter(params), after));
  if (!count.ok)
    return Response.json({ error: { code: "unavailable", message: count.problem.title } }, { status: 503 });
  return Response.json({ count: count.value }, { headers: { "cache-control": "no-store" } });
}
