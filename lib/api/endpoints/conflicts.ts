import { z } from "zod";
import { CONFLICT_RESOLUTIONS } from "#db/states.ts";
import type { Endpoint } from "../endpoint.ts";
import { eventUuid, nothing, time } from "../fields.ts";
import { bodyText } from "./source-tools.ts";

const content = z.object({
  receivedAt: time,
  bytes: z.int(),
  body: bodyText.nullable().meta({ description: "The first 256 KiB; null when it has expired." }),
});

export const getConflicts = {
  method: "GET",
  path: "/api/v1/inbox/{id}/conflicts",
  scope: "INBOX_READ",
  action: "inbox.read",
  summary: "Show what was accepted first under an event's key, and other contents that came under it",
  params: z.object({ id: eventUuid }),
  query: nothing,
  body: null,
  answer: z
    .object({
      first: content.meta({
        description: "What is processed: the content that came first, unless a person accepted another.",
      }),
      conflicts: z
        .array(
          content.extend({
            id: z.guid(),
            why: z.string(),
            seen: z.int().meta({ description: "How often this content came." }),
            resolvedAt: time.nullable(),
            resolvedBy: z.string().nullable(),
            resolution: z
              .enum(CONFLICT_RESOLUTIONS)
              .nullable()
              .meta({ description: "replaced: what was processed until another content was accepted." }),
            reason: z.string().nullable(),
          }),
        )
        .meta({ description: "The newest 20." }),
    })
    .meta({ id: "Conflicts" }),
  success: { 200: "The contents." },
} satisfies Endpoint;
