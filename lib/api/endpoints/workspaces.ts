import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import {
  accountId,
  customerId,
  eventUuid,
  integer,
  name,
  nothing,
  pageOf,
  paging,
  sourceId,
  tenantId,
  time,
  workspaceId,
} from "../fields.ts";

/** One plausible address: it becomes a header line of an e-mail, so nothing that could begin another. */
const contact = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@(localhost|([\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,})$/u, {
    error: "one e-mail address",
  });

const params = z.object({ id: workspaceId });

const entry = z.object({
  id: z.string(),
  source: sourceId,
  account: accountId,
  subject: z.string(),
  operation: z.string(),
  amount: integer,
  shortfall: integer.meta({
    description: "Credits that a reversal was to take and could not, under a floor.",
  }),
  event: eventUuid,
  paidAmount: integer.nullable(),
  paidCurrency: z.string().nullable(),
  confirmationOmitted: z.string().nullable(),
  createdAt: time,
});

const workspaceAnswer = z
  .object({
    id: workspaceId,
    tenant: tenantId,
    name,
    contact: z.string().nullable(),
    creditBalance: integer,
    entries: pageOf(entry),
  })
  .meta({ id: "Workspace" });

export const getWorkspace = {
  method: "GET",
  path: "/api/v1/workspaces/{id}",
  scope: "INBOX_READ",
  action: "workspaces.read",
  summary: "Show a workspace, its balance and its entries",
  params,
  query: z.strictObject({ ...paging, limit: z.coerce.number().int().min(1).max(200).default(100) }),
  body: null,
  answer: workspaceAnswer,
  success: { 200: "The workspace with a page of entries, newest first." },
} satisfies Endpoint;

export const putWorkspace = {
  method: "PUT",
  path: "/api/v1/workspaces/{id}",
  scope: "ADMIN",
  action: "workspaces.write",
  summary: "Create or replace a workspace",
  params,
  query: nothing,
  body: z
    .strictObject({ tenant: tenantId, name, contact: contact.nullable().default(null) })
    .meta({ id: "WorkspaceRequest" }),
  answer: workspaceAnswer,
  success: { 200: "It was there already.", 201: "It was created." },
} satisfies Endpoint;

export const putCustomerLink = {
  method: "PUT",
  path: "/api/v1/customer-links",
  scope: "ADMIN",
  action: "links.write",
  summary: "Say which workspace a sender's customer is",
  params: nothing,
  query: nothing,
  body: z.strictObject({
    source: sourceId,
    account: accountId,
    customer: customerId,
    workspace: workspaceId,
  }),
  answer: z.object({
    source: sourceId,
    account: accountId,
    customer: customerId,
    workspace: workspaceId,
    released: z.int().meta({ description: "Events that waited for this link and are due now." }),
  }),
  success: { 200: "It was there already.", 201: "It was created." },
} satisfies Endpoint;
