import { z } from "zod";
import { OPERATION_STATUSES } from "#db/states.ts";
import { actionName, anyFilter } from "#lib/operations/actions.ts";
import type { Endpoint } from "../endpoint.ts";
import { eventUuid, nothing, pageOf, paging, reason, time } from "../fields.ts";

const operationId = z.guid().meta({ description: "Id of an operation." });
const params = z.object({ id: operationId });

/** Who may, its action says: the route asks for that. */
export const postOperation = {
  method: "POST",
  path: "/api/v1/operations",
  scope: null,
  summary: "Freeze what a bulk action covers (dryRun), then start it with the token that came back",
  params: nothing,
  query: nothing,
  body: z.strictObject({
    action: actionName,
    filter: anyFilter.meta({ description: "At least one condition." }),
    reason,
    dryRun: z.boolean().default(false),
    token: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Of the dry run; good for 15 minutes." }),
    count: z.int().min(1).optional().meta({ description: "What was confirmed: another number is refused." }),
  }),
  answer: z.object({
    operation: operationId,
    count: z.int().meta({ description: "Exactly so many; what comes later is outside." }),
    token: z.string().nullable(),
    expiresAt: time.nullable().meta({ description: "When the token does." }),
    startsAt: time.nullable().meta({ description: "Until then it can be undone as a whole." }),
  }),
  success: { 200: "The dry run: nothing was done.", 202: "It starts in a few seconds." },
} satisfies Endpoint;

const operation = z
  .object({
    id: operationId,
    action: z.string(),
    actor: z.string(),
    reason: z.string(),
    status: z.enum([...OPERATION_STATUSES, "scheduled", "undone"]),
    filter: z.record(z.string(), z.unknown()).nullable(),
    filterWords: z.string().nullable(),
    count: z.int().meta({ description: "At its confirmation." }),
    settled: z.int().meta({ description: "Items that have their verdict." }),
    verdicts: z.record(z.string(), z.int()),
    createdAt: time,
    startsAt: time.nullable(),
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
    cancelledBy: z.string().nullable(),
  })
  .meta({ id: "Operation" });

export const listOperations = {
  method: "GET",
  path: "/api/v1/operations",
  scope: "INBOX_READ",
  action: "operations.read",
  summary: "List bulk operations, newest first",
  params: nothing,
  query: z.strictObject(paging),
  body: null,
  answer: pageOf(operation),
  success: { 200: "A page of operations." },
} satisfies Endpoint;

export const getOperation = {
  method: "GET",
  path: "/api/v1/operations/{id}",
  scope: "INBOX_READ",
  action: "operations.read",
  summary: "Show an operation with its progress",
  params,
  query: nothing,
  body: null,
  answer: operation,
  success: { 200: "The operation." },
} satisfies Endpoint;

export const listOperationItems = {
  method: "GET",
  path: "/api/v1/operations/{id}/items",
  scope: "INBOX_READ",
  action: "operations.read",
  summary: "List what an operation covers, row by row",
  params,
  query: z.strictObject({
    limit: paging.limit,
    cursor: z
      .string()
      .regex(/^\d{1,9}$/)
      .optional()
      .meta({ description: "nextCursor of the page before." }),
    verdict: z
      .string()
      .regex(/^[a-z_]{1,40}$/)
      .optional()
      .meta({ description: "failures: failed, refused, blocked and skipped." }),
  }),
  body: null,
  answer: pageOf(
    z.object({
      ordinal: z.int(),
      event: eventUuid.nullable(),
      message: z.guid().nullable(),
      was: z.string().nullable().meta({ description: "State when it was frozen." }),
      verdict: z.string().nullable(),
      why: z.string().nullable(),
      finishedAt: time.nullable(),
      type: z.string().nullable(),
      subject: z.string().nullable(),
    }),
  ),
  success: { 200: "A page of items, in the order in which they are taken." },
} satisfies Endpoint;

export const cancelOperation = {
  method: "POST",
  path: "/api/v1/operations/{id}/cancel",
  scope: null,
  summary: "Undo an operation before its start, or stop it where it is",
  params,
  query: nothing,
  body: z.strictObject({ reason: reason.optional() }),
  answer: z.object({
    operation: operationId,
    undone: z.boolean().meta({ description: "Nothing of it was done." }),
  }),
  success: { 200: "It ends; a step that is under way is finished." },
} satisfies Endpoint;
