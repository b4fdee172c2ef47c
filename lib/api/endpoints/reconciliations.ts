import { z } from "zod";
import { GAP_CLASSES, GAP_STATUSES, RUN_STATUSES, RUN_TRIGGERS } from "#db/states.ts";
import type { Endpoint } from "../endpoint.ts";
import { accountId, eventUuid, instant, nothing, pageOf, paging, reason, sourceId, time } from "../fields.ts";

const runId = z.guid().meta({ description: "Id of a reconciliation run." });
const gapId = z.guid().meta({ description: "Id of a gap." });

const run = z
  .object({
    id: runId,
    source: sourceId,
    trigger: z.enum(RUN_TRIGGERS),
    actor: z.string(),
    reason: z.string().nullable(),
    from: time,
    to: time,
    repair: z.boolean(),
    redeliver: z.boolean(),
    status: z.enum(RUN_STATUSES),
    phase: z
      .string()
      .nullable()
      .meta({ description: "list, entries, repair, verify or close; null when over." }),
    isFull: z
      .boolean()
      .meta({ description: "Done, and no warning says that the sender's list may not have been all." }),
    pages: z.int(),
    objects: z.int().meta({ description: "Things of the sender's list that were compared." }),
    entries: z.int().meta({ description: "Our own entries that were compared." }),
    gapsFound: z.int(),
    gapsRepaired: z.int(),
    gapsClosed: z.int(),
    warnings: z.array(z.string()),
    failures: z
      .int()
      .meta({ description: "In a row; a step that fails is tried again and counts as nothing." }),
    lastError: z.string().nullable(),
    nextAttemptAt: time.nullable(),
    createdAt: time,
    startedAt: time.nullable(),
    finishedAt: time.nullable(),
  })
  .meta({ id: "Reconciliation" });

const gap = z
  .object({
    id: gapId,
    source: sourceId,
    account: accountId,
    subject: z.string(),
    class: z.enum(GAP_CLASSES),
    status: z.enum(GAP_STATUSES),
    why: z.string(),
    repairable: z.boolean().meta({ description: "By a run; every other gap is for a person." }),
    happenedAt: time,
    firstSeenAt: time,
    lastSeenAt: time,
    run: runId,
    repairedAt: time.nullable(),
    event: eventUuid.nullable(),
    closedAt: time.nullable(),
    closedBy: z.string().nullable(),
    closedWhy: z.string().nullable(),
  })
  .meta({ id: "Gap" });

const read = { scope: "RECONCILE", action: "reconcile.read", params: nothing, query: nothing } as const;
const write = { ...read, action: "reconcile.run", method: "POST" } as const;

export const postReconciliation = {
  ...write,
  path: "/api/v1/reconciliations",
  summary: "Compare a sender's list with receipts, entries and intents, and repair what can be",
  body: z.strictObject({
    source: sourceId,
    from: instant,
    to: instant.meta({ description: "Outside the window; what lies ahead of now is left out." }),
    repair: z.boolean().default(false),
    redeliver: z
      .boolean()
      .default(false)
      .meta({ description: "Repair by asking the sender to deliver again, where it can." }),
    reason: reason.optional(),
  }),
  answer: run,
  success: { 202: "A worker takes it within seconds." },
} satisfies Endpoint;

export const listReconciliations = {
  ...read,
  method: "GET",
  path: "/api/v1/reconciliations",
  summary: "List reconciliation runs, newest first",
  query: z.strictObject({ ...paging, source: sourceId.optional(), status: z.enum(RUN_STATUSES).optional() }),
  body: null,
  answer: pageOf(run),
  success: { 200: "A page of runs." },
} satisfies Endpoint;

export const getReconciliation = {
  ...read,
  method: "GET",
  path: "/api/v1/reconciliations/{id}",
  summary: "Show a run: how far it is, and what it found",
  params: z.object({ id: runId }),
  body: null,
  answer: run,
  success: { 200: "The run." },
} satisfies Endpoint;

export const cancelReconciliation = {
  ...write,
  path: "/api/v1/reconciliations/{id}/cancel",
  summary: "Cancel a run; what it repaired stays repaired",
  params: z.object({ id: runId }),
  body: z.strictObject({ reason }),
  answer: run,
  success: { 200: "The run, which ends with its present step." },
} satisfies Endpoint;

export const listGaps = {
  ...read,
  method: "GET",
  path: "/api/v1/gaps",
  summary: "List gaps between sender, receipts, entries and intents, newest first",
  query: z.strictObject({
    ...paging,
    source: sourceId.optional(),
    status: z.enum(GAP_STATUSES).optional(),
    class: z.enum(GAP_CLASSES).optional(),
    run: runId.optional(),
  }),
  body: null,
  answer: pageOf(gap),
  success: { 200: "A page of gaps." },
} satisfies Endpoint;

export const repairGaps = {
  ...write,
  path: "/api/v1/gaps/repair",
  summary: "Repair open gaps of a source, by a run over the time in which they happened",
  body: z.strictObject({
    source: sourceId,
    gaps: z
      .array(gapId)
      .min(1)
      .max(1000)
      .nullable()
      .default(null)
      .meta({ description: "Null: all that can be repaired." }),
    reason,
  }),
  answer: run,
  success: { 202: "A worker takes it within seconds." },
} satisfies Endpoint;

export const dismissGap = {
  ...write,
  path: "/api/v1/gaps/{id}/dismiss",
  summary: "Close a gap that nothing here can repair",
  params: z.object({ id: gapId }),
  body: z.strictObject({ reason }),
  answer: gap,
  success: { 200: "The gap, dismissed." },
} satisfies Endpoint;
