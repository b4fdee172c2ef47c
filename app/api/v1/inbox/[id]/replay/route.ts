import { db } from "#app/db.ts";
import { replayEvent } from "#lib/api/endpoints/inbox.ts";
import { replayEvent as replay } from "#lib/inbox/replay.ts";
import { refuse, succeed } from "#lib/outcome.ts";
import { route } from "../../../handler.ts";

export const POST = route(replayEvent, async ({ actor, params, body }) => {
  const answer = await replay(db(), { ...body, id: params.id, actor: actor.name });
  if (!answer) return refuse("not_found", "There is no such event.");
  return succeed({ status: body.dryRun ? 200 : 202, body: answer });
});
