import { z } from "zod";
import { CHECKLIST } from "#lib/sources/contract-schema.ts";
import type { Endpoint } from "../endpoint.ts";
import { eventUuid, nothing, pageOf, paging, reason, sourceId, time } from "../fields.ts";
import { sourceAnswer } from "./sources.ts";

const common = { scope: "ADMIN", params: z.object({ id: sourceId }), query: nothing } as const;

export const setCapture = {
  ...common,
  action: "sources.write",
  method: "POST",
  path: "/api/v1/sources/{id}/capture",
  summary: "Keep requests that cannot be verified yet, for 24 hours, or stop doing so",
  body: z.strictObject({ on: z.boolean(), reason }),
  answer: sourceAnswer,
  success: { 200: "The source; at most 100 requests are kept in 24 hours, and none is ever processed." },
} satisfies Endpoint;

export const bodyText = z
  .object({ encoding: z.enum(["utf8", "base64"]), text: z.string() })
  .meta({ id: "BodyText" });

export const listCaptures = {
  ...common,
  action: "sources.write",
  method: "GET",
  path: "/api/v1/sources/{id}/captures",
  summary: "List captured requests, newest first",
  query: z.strictObject(paging),
  body: null,
  answer: pageOf(
    z
      .object({
        id: z.guid(),
        at: time,
        method: z.string(),
        query: z.string(),
        headers: z.record(z.string(), z.string()).meta({ description: "All but credentials." }),
        bytes: z.int(),
        body: bodyText.meta({ description: "The first 64 KiB." }),
      })
      .meta({ id: "Capture" }),
  ),
  success: { 200: "A page of captures." },
} satisfies Endpoint;

export const testSource = {
  ...common,
  action: "sources.write",
  method: "POST",
  path: "/api/v1/sources/{id}/test",
  summary: "Send the source's receiver a signed event without effect",
  body: z.strictObject({
    type: z
      .string()
      .trim()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: "One that nothing handles; any other is refused. Default: counterfoil.test." }),
    reason: reason.optional(),
  }),
  answer: z
    .object({
      eventId: z.string(),
      type: z.string(),
      secret: z.string().meta({ description: "Fingerprint of the secret that signed it." }),
      answer: z
        .object({ status: z.int(), body: z.string(), ms: z.int() })
        .nullable()
        .meta({ description: "Null when nothing answered." }),
      event: eventUuid.nullable(),
      proves: z.string(),
    })
    .meta({ id: "SourceTest" }),
  success: { 200: "What the receiver answered, and what that proves." },
} satisfies Endpoint;

export const confirmContract = {
  ...common,
  action: "sources.write",
  method: "POST",
  path: "/api/v1/sources/{id}/contract/confirm",
  summary: "Confirm an item of a sender's checklist; the last one releases the events that waited",
  body: z.strictObject({ item: z.enum(CHECKLIST), reason }),
  answer: z.object({
    source: sourceAnswer,
    released: z.int().meta({ description: "Events that went on with this confirmation." }),
    waiting: z.int().meta({ description: "Events that still wait for the contract." }),
  }),
  success: { 200: "The source with what is confirmed by now." },
} satisfies Endpoint;
