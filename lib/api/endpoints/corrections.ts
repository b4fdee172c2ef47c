import { z } from "zod";
import { isCleanId } from "#lib/json.ts";
import type { Endpoint } from "../endpoint.ts";
import { accountId, eventUuid, invoiceId, nothing, reason, sourceId, workspaceId } from "../fields.ts";

const cleanId = z
  .string()
  .trim()
  .min(1)
  .max(255)
  .refine(isCleanId, { error: "no control characters or broken Unicode" });

export const correctCredits = {
  method: "POST",
  path: "/api/v1/workspaces/{id}/corrections",
  scope: "ADMIN",
  action: "workspaces.correct",
  summary: "Correct a workspace's balance, as an event of the built-in source",
  params: z.object({ id: workspaceId }),
  query: nothing,
  body: z.strictObject({
    key: cleanId.meta({ description: "Yours: the same key again is the same correction." }),
    amount: z
      .int()
      .refine((amount) => amount !== 0, { error: "not 0" })
      .meta({ description: "Credits; below 0 takes some back." }),
    reason,
  }),
  answer: z.object({ status: z.enum(["accepted", "duplicate"]), event: eventUuid }),
  success: { 200: "It is there already.", 202: "It is kept, and is applied in a moment." },
} satisfies Endpoint;

export const putPaymentLink = {
  method: "PUT",
  path: "/api/v1/payment-links",
  scope: "ADMIN",
  action: "links.write",
  summary: "Say which invoice a payment paid",
  params: nothing,
  query: nothing,
  body: z.strictObject({
    source: sourceId,
    account: accountId,
    payment: cleanId.meta({ description: "The sender's id of a payment or charge." }),
    invoice: invoiceId,
  }),
  answer: z.object({
    source: sourceId,
    account: accountId,
    payment: z.string(),
    invoice: invoiceId,
    released: z.int().meta({ description: "Events that waited for this link and are due now." }),
  }),
  success: { 200: "It was there already.", 201: "It was created." },
} satisfies Endpoint;
