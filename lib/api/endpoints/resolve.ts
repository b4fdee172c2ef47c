import { z } from "zod";
import { DECISIONS } from "#lib/inbox/resolve.ts";
import type { Endpoint } from "../endpoint.ts";
import { eventUuid, inboxStatus, nothing, reason } from "../fields.ts";

export const resolveEvent = {
  method: "POST",
  path: "/api/v1/inbox/{id}/resolve",
  scope: "INBOX_REPLAY",
  action: "inbox.resolve",
  summary: "Close what a person must close: retry, dismiss, or accept another content",
  params: z.object({ id: eventUuid }),
  query: nothing,
  body: z.strictObject({
    decision: z.enum(DECISIONS).meta({
      description:
        "retry starts a new round; dismiss closes for good; accept_content processes a conflict's content, or a suspected replay.",
    }),
    conflictId: z
      .guid()
      .optional()
      .meta({ description: "The open conflict that it is about; without it, it is about the event." }),
    reason,
    expect: z
      .strictObject({ status: inboxStatus, attempts: z.int().min(0) })
      .optional()
      .meta({ description: "Refused with 409 when the event is no longer in this state." }),
  }),
  answer: z
    .object({ event: eventUuid, status: inboxStatus, why: z.string().nullable() })
    .meta({ id: "Resolved" }),
  success: { 200: "It was done; the event's state after it." },
} satisfies Endpoint;
