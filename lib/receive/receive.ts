import { hash } from "node:crypto";
import { isUnstorable } from "#db/errors.ts";
import { cleanText } from "#lib/json.ts";
import type { SourceCache } from "#lib/sources/cache.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import { readPayload } from "#lib/sources/payload.ts";
import type { HeaderReader, Identification, SourceAdapter, Verification } from "#lib/sources/types.ts";
import { metrics } from "#lib/telemetry/metrics.ts";
import { observeReceipt, observeRejection } from "#lib/telemetry/observe-receive.ts";
import { continueTrace, parseTraceparent } from "#lib/telemetry/trace-context.ts";
import { withTimeout } from "#lib/with-timeout.ts";
import { type BodyLease, createBodyBudget } from "./body-budget.ts";
import { NEVER_KEPT } from "./capture.ts";
import { Overloaded } from "./group-commit.ts";
import { judge } from "./judge.ts";
import { parseContentLength, readBody } from "./read-body.ts";
import { answerChallenge, answerRejection, answerStored, answerUnavailable } from "./responses.ts";
import type { Receipt, ReceiveRequest, ReceiveResponse, Rejection, Stored } from "./types.ts";

export type ReceiverParts = {
  sources: SourceCache;
  adapterOf(kind: LoadedSource["kind"]): SourceAdapter | undefined;
  /** Whether any effect handles a type from this kind of source. */
  takes(kind: LoadedSource["kind"], type: string, contract: unknown): boolean;
  /** Resolves when the receipt's commit is confirmed. */
  store(receipt: Receipt): Promise<Stored>;
  /** The same for sources that are set to inline (inline.ts). */
  storeInline?(receipt: Receipt): Promise<Stored>;
  reject(rejection: Rejection): void;
  /** Keeps a request that cannot be verified yet, for an admin who is learning the sender's contract. Never throws. */
  capture(sourceId: string, request: ReceiveRequest, body: Buffer): Promise<void>;
  /** Hears of failures that were answered with 503. */
  onUnavailable(error: unknown, source: string): void;
  maxBodyBytes: number;
  /** Bytes of large bodies that may be in memory at once; beyond that, 503. Default 256 MiB. */
  maxHeldBytes?: number;
  /** Milliseconds to wait for a confirmed commit before the sender is asked to come back. */
  storeTimeout: number;
  now(): Date;
};

/** What a source can be called (the table says the same): no other name is worth a query, and NUL would break one. */
const SOURCE_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Request headers worth keeping for people who look into an event. Anything else may be a credential. */
const KEPT_HEADERS = [
  "content-type",
  "user-agent",
  "x-github-event",
  "x-github-delivery",
  "x-github-hook-id",
  "webhook-id",
  "svix-id",
];

/**
 * The receiver: read at most the limit, verify over the bytes as received, parse and validate, identify, store and
 * commit, answer (CONTRACT §3). 2xx means the work is held and recoverable. Never throws.
 */
export function createReceiver(parts: ReceiverParts): (request: ReceiveRequest) => Promise<ReceiveResponse> {
  const budget = createBodyBudget(parts.maxHeldBytes ?? 256 * 2 ** 20);
  return async (request) => {
    const lease = budget();
    const measured = metrics().receiveSeconds.startTimer();
    try {
      return await receive(parts, request, lease);
    } catch (error) {
      if (error instanceof Overloaded) return turnAway(parts, request, { reason: "overloaded", bytes: null });
      metrics().unavailable.inc();
      parts.onUnavailable(error, request.source);
      return answerUnavailable("The event could not be stored with certainty.");
    } finally {
      lease.release();
      measured();
    }
  };
}

async function receive(
  parts: ReceiverParts,
  request: ReceiveRequest,
  lease: BodyLease,
): Promise<ReceiveResponse> {
  const start = Date.now();
  const refuse = (reason: Rejection["reason"], bytes: number | null = null, detail?: string) =>
    turnAway(parts, request, { reason, bytes, detail });

  let source = SOURCE_ID.test(request.source) ? await parts.sources.get(request.source) : null;
  const adapter = source && parts.adapterOf(source.kind);
  if (!source || !adapter) return refuse("unknown_source");
  if (request.method !== "POST")
    return answerOtherMethod(parts, request, adapter, source) ?? refuse("method_not_allowed");
  const encoding = request.header("content-encoding");
  if (encoding && encoding.trim().toLowerCase() !== "identity") return refuse("unsupported_encoding");
  let closed = isClosed(adapter, source);
  if (closed) {
    source = (await parts.sources.fresh(source.id)) ?? source;
    closed = isClosed(adapter, source);
  }
  if (closed && !source.captures) return refuse("no_usable_secret");

  const limit = source.settings.maxBodyBytes ?? parts.maxBodyBytes;
  const read = await readBody(
    request.body,
    limit,
    parseContentLength(request.header("content-length")),
    lease,
  );
  if (!read.ok) return refuse(read.reason, read.bytes);

  const { body } = read;
  if (closed) {
    await parts.capture(source.id, request, body);
    return refuse("no_usable_secret", body.length, "captured");
  }
  const verified = await verifyFresh(parts, adapter, source, body, request.header);
  if (!verified.verification.ok)
    return refuse(verified.verification.reason, body.length, verified.verification.detail);
  source = verified.source;

  const parsed = readPayload(adapter, body, request.header);
  const challenge =
    parsed.ok && adapter.answerChallenge?.({ ...request, payload: parsed.value, contract: source.contract });
  if (challenge) return answerChallenge(challenge) ?? refuse("signature_mismatch", body.length, "challenge");

  const identified = parsed.ok
    ? adapter.identify({ payload: parsed.value, header: request.header, body, contract: source.contract })
    : parsed;
  const { fingerprint } = verified.verification.secret;
  let receipt = toReceipt(parts, adapter, source, identified, fingerprint, body, request);
  if (!source.accounts.has(receipt.account)) {
    // It may have been added a moment ago, and what is ignored for its mode stays ignored.
    source = (await parts.sources.fresh(source.id)) ?? source;
    receipt = toReceipt(parts, adapter, source, identified, fingerprint, body, request);
  }
  const [known, judged] = [source, receipt];
  const store = known.settings.inline ? (parts.storeInline ?? parts.store) : parts.store;
  const storing = store(judged).catch((error) => {
    if (!isUnstorable(error) || judged.state.status === "quarantined") throw error;
    const unusable = { ok: false, why: "the database cannot keep what the event says" } as const;
    return parts.store(toReceipt(parts, adapter, known, unusable, fingerprint, body, request));
  });
  const stored = await withTimeout(storing, parts.storeTimeout, "no confirmed commit");
  observeReceipt(judged, stored, start);
  return answerStored(stored);
}

/** Nothing can be verified: no secret, or a contract that does not say how. */
function isClosed(adapter: SourceAdapter, source: LoadedSource): boolean {
  return source.secrets.length === 0 || adapter.readiness?.(source.contract).state === "unconfigured";
}

/** A sender's proof-of-ownership request by GET or HEAD, where its contract documents one; else null. */
function answerOtherMethod(
  parts: ReceiverParts,
  request: ReceiveRequest,
  adapter: SourceAdapter,
  source: LoadedSource,
): ReceiveResponse | null {
  const challenge = adapter.answerChallenge?.({ ...request, payload: null, contract: source.contract });
  if (!challenge) return null;
  return (
    answerChallenge(challenge) ??
    turnAway(parts, request, { reason: "signature_mismatch", bytes: null, detail: "challenge" })
  );
}

/** A refusal is only given after a look at the source as it is now: secrets or contract may have changed a moment ago. */
async function verifyFresh(
  parts: ReceiverParts,
  adapter: SourceAdapter,
  source: LoadedSource,
  body: Buffer,
  header: HeaderReader,
): Promise<{ source: LoadedSource; verification: Verification }> {
  const check = (secrets: LoadedSource["secrets"], contract: unknown) =>
    adapter.verify({ body, header, secrets, now: parts.now(), contract });
  const verification = check(source.secrets, source.contract);
  // Without a contract nothing but a secret can have changed, and that helps a wrong signature alone.
  const mayHelp =
    adapter.checkContract !== undefined || (!verification.ok && verification.reason === "signature_mismatch");
  if (verification.ok || !mayHelp) return { source, verification };
  const fresh = await parts.sources.fresh(source.id);
  if (!fresh || fresh.secrets.length === 0) return { source, verification };
  return { source: fresh, verification: check(fresh.secrets, fresh.contract) };
}

function toReceipt(
  parts: ReceiverParts,
  adapter: SourceAdapter,
  source: LoadedSource,
  identified: Identification,
  secretFingerprint: string,
  body: Buffer,
  request: ReceiveRequest,
): Receipt {
  const bodyDigest = hash("sha256", body, "buffer");
  return {
    ...judge(source, adapter, identified, bodyDigest, parts.takes),
    sourceId: source.id,
    bodyDigest,
    body,
    headers: keepHeaders(request, identified),
    secretFingerprint,
    ...readTrace(request.header),
    origin: "webhook",
    retentionDays: source.settings.retentionDays,
  };
}

/** An event that waits for its contract keeps all but credentials: nobody knows yet which one carries its id. */
function keepHeaders(request: ReceiveRequest, identified: Identification): Record<string, string> {
  const isUnread = identified.ok && identified.identity.waits !== undefined;
  const names = isUnread
    ? Object.keys(request.allHeaders()).filter((name) => !NEVER_KEPT.includes(name))
    : KEPT_HEADERS;
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = request.header(name);
    if (value !== null) kept[name] = cleanText(value).slice(0, 500);
  }
  return kept;
}

/** A delivery continues its sender's trace, where the sender names one. */
function readTrace(header: HeaderReader): Pick<Receipt, "trace" | "parentTrace"> {
  const parentTrace = parseTraceparent(header("traceparent"));
  return { trace: continueTrace(parentTrace), parentTrace };
}

function turnAway(
  parts: ReceiverParts,
  request: ReceiveRequest,
  why: Pick<Rejection, "reason" | "bytes" | "detail">,
): ReceiveResponse {
  const rejection = { sourceId: request.source, remoteAddress: request.remoteAddress, ...why };
  parts.reject(rejection);
  observeRejection(rejection);
  return answerRejection(why.reason);
}
