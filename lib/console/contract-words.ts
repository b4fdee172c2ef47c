import type { ChecklistItem, ContractVerification, SenderContract } from "#lib/sources/contract-schema.ts";

/** One line of a contract as a person reads it. `code`: the value is a name or template, to be shown as it is. */
export type ContractLine = { what: string; value: string; code?: boolean };

type Paths = string | readonly string[];

/** A contract in words, in the order in which a delivery meets it. Pure. */
export function describeContract({
  verification,
  event,
  delivery,
  challenges,
}: SenderContract): ContractLine[] {
  return [
    ...(verification
      ? describeVerification(verification)
      : [{ what: "Verification", value: "not known yet" }]),
    ...(event ? describeEvent(event) : [{ what: "Event", value: "not known yet" }]),
    ...(delivery
      ? [
          { what: "Answer within", value: `${delivery.timeoutSeconds} s` },
          {
            what: "Retries",
            value: delivery.retryWindowHours === 0 ? "none" : `for ${delivery.retryWindowHours} h`,
          },
          { what: "Had again by", value: describeReplay(delivery.replay) },
        ]
      : [{ what: "Delivery", value: "not known yet" }]),
    ...challenges.map(({ kind }) => ({ what: "Proves its address by", value: kind })),
  ];
}

function describeVerification(verification: ContractVerification): ContractLine[] {
  const { signature, secret, signedContent, timestamp } = verification;
  const { header, algorithm, encoding, prefix, separator } = signature;
  const shape = [
    `HMAC-${algorithm.toUpperCase().replace("SHA", "SHA-")}`,
    encoding,
    ...(prefix ? [`after “${prefix}”`] : []),
    ...(separator ? [`several apart by “${separator}”`] : []),
  ];
  return [
    { what: "Signature in", value: header, code: true },
    { what: "Signature", value: shape.join(", ") },
    { what: "Signed content", value: signedContent, code: true },
    {
      what: "Secret written as",
      value: secret.encoding + (secret.prefix ? ` after “${secret.prefix}”` : ""),
    },
    { what: "Time", value: describeTime(timestamp) },
  ];
}

const UNITS = { s: "seconds", ms: "milliseconds", iso: "ISO 8601" };

function describeTime(timestamp: ContractVerification["timestamp"]): string {
  if (timestamp.kind === "none") return "none is signed; the event key alone guards against replay";
  const { from, unit, toleranceSeconds, kind } = timestamp;
  const place =
    "header" in from
      ? `header ${from.header}`
      : "path" in from
        ? `body, ${from.path}`
        : `signature, ${from.signaturePart}`;
  const made = kind === "per-attempt" ? "new with each attempt" : "one for all attempts";
  return `${place}, ${UNITS[unit]}, ${made}, ${toleranceSeconds} s either way`;
}

function describeEvent(event: NonNullable<SenderContract["event"]>): ContractLine[] {
  const { id, type, account, subject, mode, identityPaths } = event;
  return [
    {
      what: "Event id",
      value:
        "path" in id ? listPaths(id.path) : `header ${id.header}, ${id.signed ? "signed" : "not signed"}`,
      code: "path" in id,
    },
    {
      what: "Type",
      value:
        "path" in type
          ? listPaths(type.path)
          : "header" in type
            ? `header ${type.header}, not signed`
            : `always ${type.value}`,
      code: "path" in type,
    },
    account
      ? {
          what: account.required ? "Account, required" : "Account",
          value: listPaths(account.path),
          code: true,
        }
      : { what: "Account", value: "always the source’s own" },
    subject ? { what: "Subject", value: listPaths(subject), code: true } : { what: "Subject", value: "none" },
    mode
      ? {
          what: "Mode",
          value: `${listPaths(mode.path)}: live is ${mode.live.join(", ")}; test is ${mode.test.join(", ")}`,
        }
      : { what: "Mode", value: "always live" },
    identityPaths.length > 0
      ? { what: "Same content when equal", value: identityPaths.map(listPaths).join("; "), code: true }
      : { what: "Same content when equal", value: "the whole body" },
  ];
}

const listPaths = (paths: Paths): string => (typeof paths === "string" ? paths : paths.join(" or "));

function describeReplay({ by, windowHours }: NonNullable<SenderContract["delivery"]>["replay"]): string {
  if (by === "none") return "nothing: what is lost stays lost";
  return `${by === "api" ? "its API" : "its console"}${windowHours === null ? "" : `, for ${windowHours} h`}`;
}

/** What each item of the checklist asks a person to have seen to. */
export const CHECKLIST_WORDS: Record<ChecklistItem, { title: string; asks: string }> = {
  catalogue: { title: "Event catalogue", asks: "The types that it sends, and the shape of each." },
  identities: {
    title: "Stable identities",
    asks: "An event keeps its id over all retries, and its subject (the feedback) keeps one over all events.",
  },
  scoping: { title: "Project scoping", asks: "Which signed value says what project an event belongs to." },
  authenticity: {
    title: "Authenticity",
    asks: "How a delivery is signed. Until this is confirmed, every request is answered with 503.",
  },
  delivery: {
    title: "Timeout and retries",
    asks: "How long it waits for an answer, and for how long it tries again.",
  },
  replay: { title: "Replay", asks: "How an event that was lost can be had again." },
  eligibility: { title: "Plan eligibility", asks: "The plan that is paid for sends webhooks at all." },
};
