import { z } from "zod";
import { ATTEMPT_KINDS, CHANNELS, OUTBOX_STATUSES, POLICIES, SEND_RESULTS } from "#db/states.ts";
import { SEND_DECISIONS } from "#lib/outbox/resolve.ts";
import type { Endpoint } from "../endpoint.ts";
import { accountId, eventUuid, nothing, pageOf, paging, reason, sourceId, time } from "../fields.ts";

const messageId = z.guid().meta({ description: "Counterfoil's id of an outgoing message." });
const status = z.enum(OUTBOX_STATUSES);

const messageItem = z
  .object({
    id: messageId,
    operationKey: z.string(),
    source: sourceId,
    account: accountId,
    subject: z.string(),
    operation: z.string(),
    topic: z.string(),
    channel: z.enum(CHANNELS),
    destination: z.string().meta({ description: "The destination's id; of a built-in e-mail, its address." }),
    destinationId: z.string(),
    status,
    event: eventUuid.nullable(),
    attempts: z.int(),
    version: z.int().meta({ description: "Moves with every transition; for `expect`." }),
    nextAttemptAt: time.nullable(),
    deadlineAt: time,
    lastError: z.string().nullable(),
    createdAt: time,
    finishedAt: time.nullable(),
  })
  .meta({ id: "OutboxMessage" });

export const listOutbox = {
  method: "GET",
  path: "/api/v1/outbox",
  scope: "OUTBOX_READ",
  summary: "List outgoing messages, newest first; status=unknown is the review queue",
  params: nothing,
  query: z.strictObject({
    ...paging,
    status: status.optional(),
    channel: z.enum(CHANNELS).optional(),
    destination: z
      .string()
      .trim()
      .min(1)
      .max(320)
      .optional()
      .meta({ description: "A destination's id, or an address." }),
    topic: z.string().trim().min(1).max(63).optional(),
    source: sourceId.optional(),
    subject: z.string().trim().min(1).max(255).optional(),
  }),
  body: null,
  answer: pageOf(messageItem),
  success: { 200: "A page of messages." },
} satisfies Endpoint;

const attempt = z
  .object({
    kind: z.enum(ATTEMPT_KINDS),
    result: z.enum(SEND_RESULTS),
    why: z.string().nullable(),
    startedAt: time,
    finishedAt: time,
    latencyMs: z.number(),
    statusCode: z.int().nullable(),
    responseBody: z.string().nullable().meta({ description: "The first 4 KB of the answer." }),
    evidence: z.record(z.string(), z.unknown()).nullable(),
    worker: z.string().nullable(),
    actor: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "SendAttempt" });

const messageDetail = messageItem
  .extend({
    policy: z.enum(POLICIES).nullable(),
    ambiguous: z.boolean().meta({ description: "Some attempt may have arrived." }),
    forced: z.boolean(),
    callStartedAt: time.nullable().meta({ description: "A call is under way since then." }),
    content: z.unknown().meta({ description: "What is sent, frozen at the intent." }),
    attemptLog: z.array(attempt),
  })
  .meta({ id: "OutboxMessageDetail" });

export const getMessage = {
  method: "GET",
  path: "/api/v1/outbox/{id}",
  scope: "OUTBOX_READ",
  summary: "Show an outgoing message with the evidence of every attempt",
  params: z.object({ id: messageId }),
  query: nothing,
  body: null,
  answer: messageDetail,
  success: { 200: "The message." },
} satisfies Endpoint;

const settled = z.object({ message: messageId, status, version: z.int() }).meta({ id: "MessageState" });

export const resolveMessage = {
  method: "POST",
  path: "/api/v1/outbox/{id}/resolve",
  scope: "OUTBOX_WRITE",
  action: "outbox.resolve",
  summary: "Decide what becomes of a message: it was sent, send it again, or never",
  params: z.object({ id: messageId }),
  query: nothing,
  body: z.strictObject({
    decision: z.enum(SEND_DECISIONS).meta({
      description:
        "sent: of an unknown one. resend: of an unknown, rejected or abandoned one; row and key stay. cancel: of any that is neither sent nor being sent.",
    }),
    reason,
    expect: z
      .strictObject({ version: z.int().min(0) })
      .optional()
      .meta({ description: "Refused with 409 when the message has moved on since." }),
  }),
  answer: settled,
  success: { 200: "It was done; the message's state after it." },
} satisfies Endpoint;

export const getDelivery = {
  ...getMessage,
  path: "/api/v1/webhooks/deliveries/{id}",
  scope: "WEBHOOKS_MANAGE",
  action: "deliveries.read",
  summary: "Show the delivery of an outgoing webhook: status code and response body of each attempt",
} satisfies Endpoint;

export const retryDelivery = {
  method: "POST",
  path: "/api/v1/webhooks/deliveries/{id}/retry",
  scope: "WEBHOOKS_MANAGE",
  action: "deliveries.retry",
  summary: "Force an attempt of an outgoing webhook; of an abandoned one, one attempt",
  params: z.object({ id: messageId }),
  query: nothing,
  body: z.strictObject({ reason: reason.default("forced over the API") }),
  answer: settled,
  success: { 202: "It is due now." },
} satisfies Endpoint;
