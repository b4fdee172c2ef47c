import { createHash } from "node:crypto";
import { cleanText } from "#lib/json.ts";
import type { SourceCache } from "#lib/sources/cache.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import { readPayload } from "#lib/sources/payload.ts";
import type { HeaderReader, Identification, SourceAdapter, Verification } from "#lib/sources/types.ts";
import { Overloaded } from "./group-commit.ts";
import { judge } from "./judge.ts";
import { parseContentLength, readBody } from "./read-body.ts";
import { answerChallenge, answerRejection, answerStored, answerUnavailable } from "./responses.ts";
import type { Receipt, ReceiveRequest, ReceiveResponse, Rejection, Stored } from "./types.ts";

export type ReceiverParts = {
  sources: SourceCache;
  adapterOf(kind: LoadedSource["kind"]): SourceAdapter | undefined;
  /** Whether any effect handles a type from this kind of source. */
  takes(kind: LoadedSource["kind"], type: string): boolean;
  /** Resolves when the receipt's commit is confirmed. */
  store(receipt: Receipt): Promise<Stored>;
  reject(rejection: Rejection): void;
  /** Keeps a request that cannot be verified yet, for an admin who is learning the sender's contract. Never throws. */
  capture(sourceId: string, request: ReceiveRequest, body: Buffer): Promise<void>;
  /** Hears of failures that were answered with 503. */
  onUnavailable(error: unknown, source: string): void;
  maxBodyBytes: number;
  /** Milliseconds to wait for a confirmed commit before the sender is asked to come back. */
  storeTimeout: number;
  now(): Date;
};

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
  return async (request) => {
    try {
      return await receive(parts, request);
    } catch (error) {
      if (error instanceof Overloaded) return turnAway(parts, request, { reason: "overloaded", bytes: null });
      parts.onUnavailable(error, request.source);
      return answerUnavailable("The event could not be stored with certainty.");
    }
  };
}

async function receive(parts: ReceiverParts, request: ReceiveRequest): Promise<ReceiveResponse> {
  const refuse = (reason: Rejection["reason"], bytes: number | null = null, detail?: string) =>
    turnAway(parts, request, { reason, bytes, detail });

  let source = (await parts.sources.get(request.source)) ?? (await parts.sources.fresh(request.source));
  const adapter = source && parts.adapterOf(source.kind);
  if (!source || !adapter) return refuse("unknown_source");
  if (request.method !== "POST")
    return answerOtherMethod(parts, request, adapter, source) ?? refuse("method_not_allowed");
  const encoding = request.header("content-encoding");
  if (encoding && encoding.trim().toLowerCase() !== "identity") return refuse("unsupported_encoding");
  if (source.secrets.length === 0) source = (await parts.sources.fresh(source.id)) ?? source;
  const unverifiable =
    source.secrets.length === 0 || adapter.readiness?.(source.contract).state === "unconfigured";
  if (unverifiable && !source.captures) return refuse("no_usable_secret");

  const limit = source.settings.maxBodyBytes ?? parts.maxBodyBytes;
  const read = await readBody(request.body, limit, parseContentLength(request.header("content-length")));
  if (!read.ok) return refuse(read.reason, read.bytes);

  const { body } = read;
  if (unverifiable) {
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
  const receipt = toReceipt(
    parts,
    adapter,
    source,
    identified,
    verified.verification.secret.fingerprint,
    body,
    request,
  );
  return answerStored(await withTimeout(parts.store(receipt), parts.storeTimeout));
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

/** A refusal is only given after a look at the secrets as they are now: one may have been added a moment ago. */
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
  if (verification.ok || verification.reason !== "signature_mismatch") return { source, verification };
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
  const bodyDigest = createHash("sha256").update(body).digest();
  return {
    ...judge(source, adapter, identified, bodyDigest, parts.takes),
    sourceId: source.id,
    bodyDigest,
    body,
    headers: keepHeaders(request.header),
    secretFingerprint,
    traceparent: readTraceparent(request.header),
    origin: "webhook",
    retentionDays: source.settings.retentionDays,
  };
}

function keepHeaders(header: HeaderReader): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = header(name);
    if (value !== null) kept[name] = cleanText(value).slice(0, 500);
  }
  return kept;
}

function readTraceparent(header: HeaderReader): string | null {
  const text = header("traceparent");
  return text && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(text) ? text : null;
}

function turnAway(
  parts: ReceiverParts,
  request: ReceiveRequest,
  why: Pick<Rejection, "reason" | "bytes" | "detail">,
): ReceiveResponse {
  parts.reject({ sourceId: request.source, remoteAddress: request.remoteAddress, ...why });
  return answerRejection(why.reason);
}

class StoreTimeout extends Error {
  override name = "StoreTimeout";
}

async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreTimeout(`no confirmed commit within ${milliseconds} ms`)),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
