import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { instant, nothing, reason, sourceId } from "../fields.ts";

export const postRestored = {
  method: "POST",
  path: "/api/v1/restored",
  scope: "ADMIN",
  action: "destinations.write",
  summary:
    "After a restore from a backup: hold the outbox for review, and reconcile from the backup's time on",
  params: nothing,
  query: nothing,
  body: z.strictObject({
    at: instant.meta({ description: "The time that the backup shows." }),
    reason,
  }),
  answer: z
    .object({
      held: z.int().meta({ description: "Messages that may have been sent since, now for review." }),
      paused: z.array(z.string()).meta({ description: "Destinations that send nothing until resumed." }),
      runs: z.array(z.object({ source: sourceId, run: z.guid() })),
      uncovered: z.array(sourceId).meta({
        description: "Sources without list or credentials: have their senders deliver again what came since.",
      }),
    })
    .meta({ id: "Restored" }),
  success: { 202: "Held; the runs are taken by a worker within seconds." },
} satisfies Endpoint;
