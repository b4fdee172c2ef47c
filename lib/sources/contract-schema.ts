import { z } from "zod";
import { parseJsonPath } from "./json-path.ts";

/** What a person must confirm about a sender whose public documentation leaves it open (CONTRACT §4). */
export const CHECKLIST = [
  "catalogue", // event catalogue and schema
  "identities", // stable event and feedback identities
  "scoping", // which project an event belongs to
  "authenticity", // how a delivery is verified
  "delivery", // timeout and retries
  "replay", // how a lost event can be had again
  "eligibility", // which plans send webhooks at all
] as const;
export type ChecklistItem = (typeof CHECKLIST)[number];

const headerName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: "must be the name of a header" });

const jsonPath = z.string().superRefine((text, context) => {
  const parsed = parseJsonPath(text);
  if (!parsed.ok) context.addIssue({ code: "custom", message: `the path ${parsed.why}` });
});

/** Several paths are alternatives: the first that leads to a value counts. */
const jsonPaths = z.union([jsonPath, z.array(jsonPath).min(1).max(4)], {
  error: "must be a path such as data.id, or up to four alternatives",
});

/** SHA-1 and MD5 are refused although HMAC-SHA-1 is not broken: every sender that has them has SHA-256 too. */
const algorithm = z.enum(["sha256", "sha384", "sha512"], {
  error: "must be sha256, sha384 or sha512 (sha1 and md5 are too weak to accept today)",
});

const signature = z.strictObject({
  header: headerName,
  algorithm: algorithm.default("sha256"),
  encoding: z.enum(["hex", "base64", "base64url"]).default("hex"),
  /** Text before each signature, for example "sha256=" or "v1=". */
  prefix: z.string().max(32).default(""),
  /** Between several signatures in the header; null when there is only one. */
  separator: z.enum([",", " ", ";", "|"]).nullable().default(null),
});

const freshness = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("none") }),
  z.strictObject({
    /** per-attempt: made anew for each delivery. per-event: repeated by every retry. */
    kind: z.enum(["per-attempt", "per-event"]),
    from: z.union(
      [
        z.strictObject({ header: headerName }),
        z.strictObject({ path: jsonPath }),
        /** Part of the signature header that begins with this text, for example "t=". */
        z.strictObject({ signaturePart: z.string().min(1).max(32) }),
      ],
      { error: 'must be {"header"}, {"path"} or {"signaturePart"}' },
    ),
    unit: z.enum(["s", "ms", "iso"]).default("s"),
    /** Seconds, both ways. Less than 30 leaves no room for two clocks. */
    toleranceSeconds: z.int().min(30).max(31_536_000).default(300),
  }),
]);

const verification = z.strictObject({
  signature,
  secret: z
    .strictObject({
      /** How the key is written in the secret that the sender shows. */
      encoding: z.enum(["utf8", "hex", "base64"]).default("utf8"),
      /** Text that is not part of the key, for example "whsec_". */
      prefix: z.string().max(32).default(""),
    })
    .default({ encoding: "utf8", prefix: "" }),
  /** The signed bytes: text with {body} and, where they are signed, {id} and {timestamp}. */
  signedContent: z.string().min(1).max(512).default("{body}"),
  timestamp: freshness.default({ kind: "none" }),
});

const event = z.strictObject({
  /** `signed` must be said for a header: whether the signed content covers it. */
  id: z.union(
    [z.strictObject({ path: jsonPaths }), z.strictObject({ header: headerName, signed: z.boolean() })],
    {
      error: 'must be {"path"} or {"header","signed"}',
    },
  ),
  type: z.union(
    [
      z.strictObject({ path: jsonPaths }),
      z.strictObject({ header: headerName }),
      z.strictObject({ value: z.string().min(1).max(255) }),
    ],
    { error: 'must be {"path"}, {"header"} or {"value"}' },
  ),
  /** From the body alone: what was not verified names no account. Null: always the source's own. */
  account: z
    .strictObject({ path: jsonPaths, required: z.boolean().default(false) })
    .nullable()
    .default(null),
  subject: jsonPaths.nullable().default(null),
  apiVersion: jsonPaths.nullable().default(null),
  /** Null: everything is live. Values are compared as text; any other value makes an event unusable. */
  mode: z
    .strictObject({
      path: jsonPaths,
      live: z.array(z.string()).min(1).max(8),
      test: z.array(z.string()).min(1).max(8),
    })
    .nullable()
    .default(null),
  /** What must agree between deliveries of one event; none: the whole body in canonical form. */
  identityPaths: z.array(jsonPaths).max(20).default([]),
});

const typeName = z.string().min(1).max(255);

const eventType = z.strictObject({
  /** For people. */
  meaning: z.string().min(1).max(300),
  /**
   * Which effect takes it (lib/effects). It decides for effects that take types by contract (feedback-alert); for all
   * others it is a hint for people and checks.
   */
  effect: z
    .string()
    .regex(/^[a-z][a-z-]{0,63}$/, { error: "must be the name of an effect" })
    .optional(),
  /** Of feedback: whether it makes the first alert (the default), an escalation's, or none. */
  role: z.enum(["alert", "escalation", "link"]).optional(),
  /** Paths that a body of this type has. */
  requires: z.array(jsonPath).max(8).optional(),
});

const delivery = z.strictObject({
  /** How long the sender waits for an answer. */
  timeoutSeconds: z.number().min(0.1).max(600),
  /** For how long it repeats a delivery that was not acknowledged; 0 when it never does. */
  retryWindowHours: z.number().min(0).max(8760),
  /** How a lost event can be had again, and for how many hours (null: unknown or no end). */
  replay: z.strictObject({
    by: z.enum(["none", "console", "api"]),
    windowHours: z.number().min(0).max(87_600).nullable().default(null),
  }),
});

const challenge = z.discriminatedUnion("kind", [
  /** Meta: GET with hub.mode, hub.verify_token and hub.challenge. The token is kept as its SHA-256, hex. */
  z.strictObject({
    kind: z.literal("hub-challenge"),
    verifyTokenSha256: z.string().regex(/^[0-9a-f]{64}$/, { error: "must be 64 lower-case hex digits" }),
  }),
  /** Slack: a signed POST of type url_verification whose challenge is sent back. */
  z.strictObject({ kind: z.literal("url-verification") }),
  /** A bare HEAD request that wants 200 (Trello and others). */
  z.strictObject({ kind: z.literal("head") }),
]);

/** Shape alone; what must hold between the parts is in contract-safety.ts. */
export const contractSchema = z.strictObject({
  version: z.literal(1, { error: "must be 1, the only version there is" }),
  /** Null: not known yet, so nothing can be accepted. */
  verification: verification.nullable().default(null),
  /** Null: not known yet, so nothing can be processed. */
  event: event.nullable().default(null),
  types: z.record(typeName, eventType).default({}),
  /** Where types of the effect feedback-alert say more than which feedback it is (event.subject). */
  feedback: z
    .strictObject({
      category: jsonPaths.nullable().default(null),
      text: jsonPaths.nullable().default(null),
      /** What tells two escalations of one feedback apart. */
      level: jsonPaths.nullable().default(null),
    })
    .nullable()
    .default(null),
  delivery: delivery.nullable().default(null),
  challenges: z.array(challenge).max(3).default([]),
  /** Items of the checklist that a person has confirmed; who and when is in the audit. */
  confirmed: z.array(z.enum(CHECKLIST)).max(CHECKLIST.length).default([]),
});

/** The document kept with a source (sources.contract), complete. */
export type SenderContract = z.infer<typeof contractSchema>;
export type ContractVerification = NonNullable<SenderContract["verification"]>;
export type ContractEvent = NonNullable<SenderContract["event"]>;
