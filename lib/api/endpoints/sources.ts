import { z } from "zod";
import { SOURCE_STATUSES } from "#db/states.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import type { Endpoint } from "../endpoint.ts";
import { accountId, kind, mode, name, nothing, reason, sourceId, tenantId, time } from "../fields.ts";

const secret = z
  .string()
  .trim()
  .min(1)
  .max(4096)
  .meta({ description: "A signing secret; never given back." });

/** Names, an origin and a path: what else a URL can carry has no place here, credentials least of all. */
const baseUrl = z
  .url({ protocol: /^https?$/, error: "a URL that begins with https:// or http://" })
  .max(500)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && !url.username && !url.password && !url.search && !url.hash;
  }, "without user, query or fragment")
  .transform((text) => text.replace(/\/+$/, ""))
  .meta({ description: "Where the sender's API is; null is the address that its kind documents." });

const account = z.strictObject({
  account: accountId,
  tenant: tenantId,
  mode: mode.optional().meta({ description: "test may also be said by the spelling ~test; else live." }),
  own: z
    .boolean()
    .optional()
    .meta({ description: "Events that name no account belong to it. Needed where there are several." }),
});

const sourceBody = z
  .strictObject({
    kind,
    name,
    secrets: z.array(secret).max(8).optional().meta({ description: "Left out: those that are there stay." }),
    accounts: z.array(account).min(1).max(1000),
    contract: z
      .unknown()
      .optional()
      .meta({ description: "The sender contract of contract-driven kinds; null is the kind's preset." }),
    settings: sourceSettings.prefault({}),
  })
  .meta({ id: "SourceRequest" });

export const sourceAnswer = z
  .object({
    id: sourceId,
    kind,
    name,
    status: z.enum(SOURCE_STATUSES),
    webhookUrl: z.url(),
    accounts: z.array(z.object({ account: accountId, tenant: tenantId, mode, own: z.boolean() })),
    secrets: z.array(
      z.object({
        fingerprint: z.string(),
        createdAt: time,
        ageSeconds: z.int(),
        expiresAt: time
          .nullable()
          .meta({ description: "End of the overlap after a rotation; null is a current secret." }),
        expired: z.boolean(),
      }),
    ),
    credentials: z
      .object({ fingerprint: z.string(), baseUrl: z.string().nullable(), updatedAt: time })
      .nullable()
      .meta({ description: "For calls to the sender's own API; the key itself is never given back." }),
    contract: z.unknown(),
    settings: sourceSettings,
    readiness: z
      .object({
        state: z.enum(["ready", "unconfigured", "unconfirmed"]),
        why: z.string().optional(),
        missing: z.array(z.string()).readonly().optional(),
      })
      .meta({ description: "Whether deliveries can be taken with the contract as it stands." }),
    captureUntil: time
      .nullable()
      .meta({ description: "Until when requests that cannot be verified yet are kept for inspection." }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: "Source" });

const params = z.object({ id: sourceId });
const common = { scope: "ADMIN", params, query: nothing } as const;

export const putSource = {
  ...common,
  action: "sources.write",
  method: "PUT",
  path: "/api/v1/sources/{id}",
  summary: "Create or replace a source",
  body: sourceBody,
  answer: sourceAnswer,
  success: { 200: "It was there already.", 201: "It was created." },
} satisfies Endpoint;

export const getSource = {
  ...common,
  action: "sources.read",
  method: "GET",
  path: "/api/v1/sources/{id}",
  summary: "Show a source",
  body: null,
  answer: sourceAnswer,
  success: { 200: "The source; of its secrets the fingerprints." },
} satisfies Endpoint;

export const listSources = {
  ...common,
  action: "sources.read",
  params: nothing,
  method: "GET",
  path: "/api/v1/sources",
  summary: "List all sources",
  body: null,
  answer: z.object({ items: z.array(sourceAnswer) }),
  success: { 200: "All sources." },
} satisfies Endpoint;

export const rotateSecret = {
  ...common,
  action: "sources.write",
  method: "POST",
  path: "/api/v1/sources/{id}/secrets",
  summary: "Add a secret and let those before it end",
  body: z.strictObject({
    secret,
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * 86_400)
      .default(86_400)
      .meta({ description: "For how long the secrets before it stay valid." }),
    reason: reason.optional(),
  }),
  answer: sourceAnswer,
  success: { 200: "The source with its new secret." },
} satisfies Endpoint;

export const putCredentials = {
  ...common,
  action: "sources.write",
  method: "PUT",
  path: "/api/v1/sources/{id}/credentials",
  summary: "Set what the sender asks of us when its own API is called",
  body: z.strictObject({
    apiKey: z
      .string()
      .trim()
      .regex(/^[\x21-\x7e]{1,4096}$/, { error: "one line without spaces, as it goes into a header" })
      .nullable()
      .meta({ description: "Never given back. Null takes the credentials away." }),
    baseUrl: baseUrl.nullable().default(null),
    reason: reason.optional(),
  }),
  answer: sourceAnswer,
  success: { 200: "The source; of its credentials the fingerprint." },
} satisfies Endpoint;

const change = {
  ...common,
  method: "POST",
  body: z.strictObject({ reason: reason.optional() }),
  answer: sourceAnswer,
} as const;

export const pauseSource = {
  ...change,
  action: "sources.pause",
  path: "/api/v1/sources/{id}/pause",
  summary: "Hold the processing of a source; it keeps receiving",
  success: { 200: "The source, paused." },
} satisfies Endpoint;

export const resumeSource = {
  ...change,
  action: "sources.pause",
  path: "/api/v1/sources/{id}/resume",
  summary: "Go on with the processing of a source",
  success: { 200: "The source, active." },
} satisfies Endpoint;
