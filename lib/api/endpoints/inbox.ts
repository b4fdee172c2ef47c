import { z } from "zod";
import { FAILURE_CLASSES, OUTCOMES, RECEIPT_ORIGINS, VERDICTS, WAITS_KINDS } from "#db/states.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  accountId,
  eventUuid,
  inboxStatus,
  instant,
  invoiceId,
  mode,
  nothing,
  pageOf,
  paging,
  reason,
  sourceId,
  time,
} from "../fields.ts";

const filterText = z.string().trim().min(1).max(255);

const inboxItem = z
  .object({
    id: eventUuid,
    source: sourceId,
    account: accountId,
    eventId: z.string(),
    type: z.string(),
    mode,
    subject: z.string().nullable(),
    status: inboxStatus,
    outcome: z.enum(OUTCOMES).nullable(),
    failureClass: z.enum(FAILURE_CLASSES).nullable(),
    waitsKind: z.enum(WAITS_KINDS).nullable(),
    waitsKey: z.string().nullable(),
    why: z.string().nullable(),
    attempts: z.int(),
    nextAttemptAt: time.nullable(),
    lastError: z.string().nullable(),
    receivedAt: time,
    finishedAt: time.nullable(),
  })
  .meta({ id: "InboxEvent" });

export const listInbox = {
  method: "GET",
  path: "/api/v1/inbox",
  scope: "INBOX_READ",
  action: "inbox.read",
  summary: "List inbox events, newest first",
  params: nothing,
  query: z.strictObject({
    ...paging,
    status: inboxStatus.optional(),
    source: sourceId.optional(),
    type: filterText.optional(),
    subject: filterText.optional(),
    q: filterText.optional().meta({ description: "An event's, a subject's or our own id, whole." }),
    since: instant.optional().meta({ description: "Received at or after." }),
    until: instant.optional().meta({ description: "Received before." }),
  }),
  body: null,
  answer: pageOf(inboxItem),
  success: { 200: "A page of events." },
} satisfies Endpoint;

const attempt = z.object({
  kind: z.enum(["process", "replay"]),
  startedAt: time,
  finishedAt: time,
  result: z.string(),
  why: z.string().nullable(),
  actor: z.string().nullable(),
  reason: z.string().nullable(),
  operation: z.string().nullable(),
});

const delivery = z.object({ ordinal: z.int(), receivedAt: time, origin: z.string(), sameBytes: z.boolean() });

export const getEvent = {
  method: "GET",
  path: "/api/v1/inbox/{id}",
  scope: "INBOX_READ",
  action: "inbox.read",
  summary: "Show an inbox event with everything that belongs to it",
  params: z.object({ id: eventUuid }),
  query: nothing,
  body: null,
  answer: inboxItem
    .extend({
      apiVersion: z.string().nullable(),
      bodyBytes: z.int(),
      bodyDigest: z.string().meta({ description: "SHA-256 in hex." }),
      secretFingerprint: z.string().nullable(),
      origin: z.enum(RECEIPT_ORIGINS),
      traceparent: z.string().nullable(),
      headers: z.record(z.string(), z.string()).nullable(),
      body: z
        .object({ encoding: z.enum(["utf8", "base64"]), text: z.string() })
        .nullable()
        .meta({ description: "As received; null when it has expired." }),
      effects: z.array(
        z.object({
          effect: z.string(),
          outcome: z.enum(OUTCOMES),
          why: z.string(),
          byEvent: eventUuid.nullable(),
          at: time,
        }),
      ),
      attemptLog: z.array(attempt),
      deliveries: z.object({ count: z.int(), newest: z.array(delivery) }),
      conflicts: z.int(),
    })
    .meta({ id: "InboxEventDetail" }),
  success: { 200: "The event." },
} satisfies Endpoint;

export const replayEvent = {
  method: "POST",
  path: "/api/v1/inbox/{id}/replay",
  scope: "INBOX_REPLAY",
  action: "inbox.replay",
  summary: "Replay an event, or foresee what that would come to",
  params: z.object({ id: eventUuid }),
  query: nothing,
  body: z.strictObject({ reason, dryRun: z.boolean().default(false) }),
  answer: z.object({
    verdict: z.enum(VERDICTS),
    why: z.string(),
    by: eventUuid
      .nullable()
      .meta({ description: "The receipt that made the effect, where it is there already." }),
    operation: z.string().nullable().meta({ description: "Null for a dry run." }),
  }),
  success: {
    200: "The verdict of a dry run; nothing was changed.",
    202: "It was replayed, with this verdict.",
  },
} satisfies Endpoint;

export const getInvoice = {
  method: "GET",
  path: "/api/v1/invoices/{source}/{account}/{invoice}",
  scope: "INBOX_READ",
  action: "trace.read",
  summary: "Tell everything that happened to an invoice",
  params: z.object({ source: sourceId, account: accountId, invoice: invoiceId }),
  query: nothing,
  body: null,
  answer: z
    .object({
      source: sourceId,
      account: accountId,
      invoice: invoiceId,
      mode: mode.nullable(),
      workspace: z.object({ id: z.string(), name: z.string() }).nullable(),
      sentence: z.string().meta({ description: "What support can read to a customer." }),
      items: z.array(
        z.looseObject({
          kind: z.enum([
            "receipt",
            "delivery",
            "conflict",
            "attempt",
            "replay",
            "effect",
            "entry",
            "link",
            "message",
            "note",
          ]),
          id: z.string(),
          at: time,
          title: z.string(),
          why: z.string().nullable(),
          durationMs: z.number().nullable(),
          event: eventUuid.nullable(),
        }),
      ),
      complete: z.boolean().meta({ description: "False where only the first part is here." }),
    })
    .meta({ id: "InvoiceTrace" }),
  success: { 200: "The trace, in the order in which it happened." },
} satisfies Endpoint;
