import { z } from "zod";
import { FEEDBACK_STATUSES } from "#db/states.ts";
import type { Endpoint } from "../endpoint.ts";
import { accountId, eventUuid, nothing, pageOf, paging, sourceId, tenantId, time } from "../fields.ts";

export const listFeedback = {
  method: "GET",
  path: "/api/v1/feedback",
  scope: "ALERTS",
  action: "feedback.read",
  summary: "List feedback with its alerts, newest first",
  params: nothing,
  query: z.strictObject({
    ...paging,
    status: z.enum(FEEDBACK_STATUSES).optional(),
    source: sourceId.optional(),
    project: accountId.optional(),
  }),
  body: null,
  answer: pageOf(
    z
      .object({
        source: sourceId,
        project: accountId,
        feedback: z.string().meta({ description: "The sender's id of the feedback." }),
        tenant: tenantId,
        status: z.enum(FEEDBACK_STATUSES),
        category: z.string().nullable(),
        text: z.string().nullable().meta({ description: "What the person wrote, or its beginning." }),
        assignee: z.string().nullable(),
        version: z.int(),
        event: eventUuid,
        alerts: z.array(
          z.object({
            alert: z.guid(),
            operation: z.string().meta({ description: "initial-alert, or the key of an escalation." }),
            at: time,
          }),
        ),
        createdAt: time,
        updatedAt: time,
      })
      .meta({ id: "Feedback" }),
  ),
  success: { 200: "A page of feedback." },
} satisfies Endpoint;
