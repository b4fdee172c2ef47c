import { db } from "#app/db.ts";
import { setDestinationStatus } from "#lib/admin/set-destination-status.ts";
import { resumeDestination } from "#lib/api/endpoints/destinations.ts";
import { route } from "../../../handler.ts";
import { answerDestination } from "../../answer-destination.ts";

export const POST = route(resumeDestination, async ({ actor, params, body }) =>
  answerDestination(
    await setDestinationStatus(db(), actor, { id: params.id, status: "active", reason: body.reason }),
  ),
);
