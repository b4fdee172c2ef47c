import type { SenderContract } from "./contract-schema.ts";
import { parseTemplate } from "./contract-template.ts";

/** A fresh timestamp older than an hour proves nothing; one per event has to outlast the retries. */
const MAX_PER_ATTEMPT_SECONDS = 3600;

/** Why a contract of the right shape cannot be safe, one sentence each; empty when it can. */
export function findUnsafe(contract: SenderContract): string[] {
  return [
    ...findInSignedContent(contract),
    ...findInTimestamp(contract),
    ...findInSignature(contract),
    ...findInEvent(contract),
    ...findInChallenges(contract),
    ...findInFeedback(contract),
  ];
}

function* findInSignedContent({ verification, event }: SenderContract): Generator<string> {
  if (!verification) return;
  const template = verification.signedContent;
  const parsed = parseTemplate(template);
  if (!parsed.ok) {
    yield `verification.signedContent: ${parsed.why}`;
    return;
  }
  const signsId = template.includes("{id}");
  const idHeader = event && "header" in event.id ? event.id : null;
  if (signsId && !idHeader) {
    yield "verification.signedContent: {id} needs event.id to name the header that carries it (an id in the body is signed with the body)";
  }
  if (idHeader?.signed && !signsId) {
    yield "event.id: claims that the header is signed, but the signed content does not contain {id}";
  }
  if (idHeader && !idHeader.signed && signsId) {
    yield "event.id: claims that the header is unsigned, but the signed content contains {id}";
  }
}

function* findInTimestamp({ verification, delivery }: SenderContract): Generator<string> {
  if (!verification) return;
  const { timestamp, signedContent } = verification;
  const signsTimestamp = signedContent.includes("{timestamp}");
  if (timestamp.kind === "none") {
    if (signsTimestamp)
      yield "verification.timestamp: the signed content contains {timestamp}, so say where it is";
    return;
  }
  if ("path" in timestamp.from) {
    if (signsTimestamp) {
      yield "verification.timestamp: a timestamp in the body is signed with the body; one in {timestamp} must come from a header, or the body would be read before it is verified";
    }
  } else if (!signsTimestamp) {
    yield "verification.timestamp: claims freshness, but the timestamp is not in the signed content: whoever captured a delivery could put a new one";
  }
  const tolerance = timestamp.toleranceSeconds;
  if (timestamp.kind === "per-attempt" && tolerance > MAX_PER_ATTEMPT_SECONDS) {
    yield `verification.timestamp: a tolerance above ${MAX_PER_ATTEMPT_SECONDS} s is no freshness; per-event allows more`;
  }
  if (timestamp.kind === "per-event") {
    if (!delivery) yield "verification.timestamp: per-event needs delivery.retryWindowHours";
    else if (tolerance < 3600 * Math.max(delivery.retryWindowHours, delivery.replay.windowHours ?? 0)) {
      yield "verification.timestamp: the tolerance is shorter than the retry or replay window, so late deliveries would be refused for ever";
    }
  }
}

function* findInSignature({ verification, event }: SenderContract): Generator<string> {
  if (!verification) return;
  const { signature, timestamp } = verification;
  if (signature.separator && signature.prefix.includes(signature.separator)) {
    yield "verification.signature: the prefix contains the separator";
  }
  if (timestamp.kind !== "none" && "signaturePart" in timestamp.from) {
    const part = timestamp.from.signaturePart;
    if (!signature.separator)
      yield "verification.timestamp: signaturePart needs a separator in the signature header";
    if (part.startsWith(signature.prefix) || signature.prefix.startsWith(part)) {
      yield "verification.timestamp: signaturePart and the signature's prefix cannot be told apart";
    }
  }
  const headers = [
    signature.header,
    ...(timestamp.kind !== "none" && "header" in timestamp.from ? [timestamp.from.header] : []),
    ...(event && "header" in event.id ? [event.id.header] : []),
    ...(event && "header" in event.type ? [event.type.header] : []),
  ];
  if (new Set(headers).size < headers.length) yield "one header is named for two purposes";
}

function* findInEvent({ event, types }: SenderContract): Generator<string> {
  if (!event) return;
  if ("header" in event.type) {
    const bare = Object.entries(types).filter(([, type]) => !type.requires?.length);
    if (Object.keys(types).length === 0 || bare.length > 0) {
      yield "event.type: a header is not signed, so every type in the catalogue needs `requires`: paths by which the signed body shows that it is of this type";
    }
  }
  const modes = [...(event.mode?.live ?? []), ...(event.mode?.test ?? [])];
  if (new Set(modes).size < modes.length) yield "event.mode: one value is named twice";
}

function* findInChallenges({ challenges }: SenderContract): Generator<string> {
  const kinds = challenges.map(({ kind }) => kind);
  if (new Set(kinds).size < kinds.length) yield "challenges: one kind is named twice";
}

/** Feedback without an id cannot be told from other feedback: every event would be one more. */
function* findInFeedback({ types, event }: SenderContract): Generator<string> {
  if (!event || event.subject !== null) return;
  for (const [name, { effect }] of Object.entries(types)) {
    if (effect === "feedback-alert")
      yield `types.${name}: feedback-alert needs event.subject to say which feedback it is`;
  }
}
