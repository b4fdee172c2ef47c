import { z } from "zod";
import { CHANNELS, DESTINATION_STATUSES, POLICIES } from "#db/states.ts";
import { TOPICS } from "#lib/channels/notice.ts";
import type { Endpoint } from "../endpoint.ts";
import { destinationId, nothing, reason, tenantId, time } from "../fields.ts";

const topics = z.array(z.enum(TOPICS)).max(TOPICS.length);
const mail = z.email().max(320);

const destinationBody = z
  .strictObject({
    channel: z.enum(CHANNELS),
    topics: topics.meta({ description: "What it wants to hear of." }),
    tenant: tenantId.nullable().default(null).meta({ description: "Left out: of all tenants." }),
    url: z
      .string()
      .trim()
      .min(1)
      .max(2048)
      .optional()
      .meta({ description: "slack, webhook, nats: where to." }),
    to: z
      .string()
      .trim()
      .min(1)
      .max(320)
      .optional()
      .meta({ description: "email: the address; nats: the subject." }),
    secret: z.string().trim().min(1).max(4096).optional().meta({
      description:
        "webhook: whsec_…; nats: credentials. Never given back; left out, the one that is there stays.",
    }),
    policy: z
      .enum(POLICIES)
      .optional()
      .meta({ description: "For unknown outcomes; left out: the channel's default." }),
    concurrency: z
      .int()
      .min(1)
      .max(1000)
      .default(8)
      .meta({ description: "Calls at the same time at the most." }),
    owner: mail.nullable().meta({ description: "Who is told by e-mail when a message is given up." }),
  })
  .meta({ id: "DestinationRequest" });

export const destinationAnswer = z
  .object({
    id: destinationId,
    channel: z.enum(CHANNELS),
    topics: z.array(z.string()),
    tenant: z.string().nullable(),
    url: z
      .string()
      .nullable()
      .meta({ description: "Of a Slack webhook, whose URL is its secret, the host alone." }),
    to: z.string().nullable(),
    secretFingerprint: z.string().nullable(),
    policy: z.enum(POLICIES),
    owner: z.string().nullable(),
    concurrency: z.int(),
    status: z.enum(DESTINATION_STATUSES),
    statusReason: z.string().nullable(),
    heldSince: time.nullable(),
    broken: z.object({ since: time, why: z.string(), probes: z.int(), nextProbeAt: time }).nullable().meta({
      description: "It fails as a whole and is probed with one message at a time; null while it works.",
    }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Destination" });

const params = z.object({ id: destinationId });

export const putDestination = {
  method: "PUT",
  path: "/api/v1/destinations/{id}",
  scope: "ADMIN",
  action: "destinations.write",
  summary: "Create or replace a destination",
  params,
  query: nothing,
  body: destinationBody,
  answer: destinationAnswer,
  success: { 200: "It was there already.", 201: "It was created." },
} satisfies Endpoint;

export const getDestination = {
  method: "GET",
  path: "/api/v1/destinations/{id}",
  scope: "ADMIN",
  action: "destinations.read",
  summary: "Show a destination",
  params,
  query: nothing,
  body: null,
  answer: destinationAnswer,
  success: { 200: "The destination; of its secret the fingerprint." },
} satisfies Endpoint;

export const listDestinations = {
  ...getDestination,
  path: "/api/v1/destinations",
  summary: "List all destinations",
  params: nothing,
  answer: z.object({ items: z.array(destinationAnswer) }),
  success: { 200: "All destinations." },
} satisfies Endpoint;

export const testDestination = {
  method: "POST",
  path: "/api/v1/destinations/{id}/test",
  scope: "ADMIN",
  action: "destinations.write",
  summary: "Send a test message, through the outbox as every other",
  params,
  query: nothing,
  body: nothing,
  answer: z.object({ message: z.guid() }),
  success: { 202: "It is due now; GET /api/v1/outbox/{message} tells what came of it." },
} satisfies Endpoint;

const change = {
  method: "POST",
  scope: "ADMIN",
  action: "destinations.pause",
  params,
  query: nothing,
  body: z.strictObject({ reason: reason.optional() }),
  answer: destinationAnswer,
} as const;

export const pauseDestination = {
  ...change,
  path: "/api/v1/destinations/{id}/pause",
  summary: "Hold what goes to a destination; the time does not count",
  success: { 200: "The destination, paused." },
} satisfies Endpoint;

export const resumeDestination = {
  ...change,
  path: "/api/v1/destinations/{id}/resume",
  summary: "Go on: after a pause, after 410, or at once where it is only probed",
  success: { 200: "The destination, active." },
} satisfies Endpoint;
