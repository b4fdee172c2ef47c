import { createHmac } from "node:crypto";
import Stripe from "stripe";
import { idText, isCleanId, type JsonValue, member } from "#lib/json.ts";
import type { Identification, SourceAdapter, Verification, VerifyInput } from "./types.ts";

/** Stripe's default, applied both ways: a timestamp from the future is as suspect as an old one. */
const TOLERANCE_SECONDS = 300;

export const stripe: SourceAdapter = { kind: "stripe", checkSecret, verify, identify, sign };

function checkSecret(text: string): string | null {
  if (!text.startsWith("whsec_")) return "a Stripe signing secret begins with whsec_";
  return text.length >= 24 && /^[\x21-\x7e]+$/.test(text)
    ? null
    : "the signing secret is too short or damaged";
}

type Header = { timestamp: number; signatures: string[] };

/**
 * Reads `t=…,v1=…` strictly. The official library takes the last of two timestamps and any text as a signature;
 * two timestamps are ambiguous, and only 64 hex digits can be an HMAC-SHA256.
 */
function parseHeader(text: string): Header | null {
  const pairs = text.split(",").map((pair) => pair.trim().split("="));
  const timestamps = pairs.filter(([key]) => key === "t").map(([, value]) => value ?? "");
  const signatures = pairs.filter(([key]) => key === "v1").map(([, value]) => value ?? "");
  if (timestamps.length !== 1 || !/^[0-9]{1,12}$/.test(timestamps[0]!)) return null;
  if (signatures.length === 0 || !signatures.every((value) => /^[0-9a-f]{64}$/.test(value))) return null;
  return { timestamp: Number(timestamps[0]), signatures };
}

function verify({ body, header, secrets, now }: VerifyInput): Verification {
  const text = header("stripe-signature");
  if (!text) return { ok: false, reason: "signature_missing" };
  const parsed = parseHeader(text);
  if (!parsed) return { ok: false, reason: "signature_malformed" };
  const secret = secrets.find((candidate) => matches(body, parsed, candidate.text));
  if (!secret) return { ok: false, reason: "signature_mismatch" };
  const skew = Math.floor(now.getTime() / 1000) - parsed.timestamp;
  if (Math.abs(skew) > TOLERANCE_SECONDS)
    return { ok: false, reason: "timestamp_stale", detail: `skew ${skew} s` };
  return { ok: true, secret };
}

/**
 * The official comparison, over the bytes. The library decodes a Buffer to text before it signs, which drops a byte
 * order mark and replaces invalid UTF-8; its crypto provider is the seam at which the real bytes go in.
 */
function matches(body: Buffer, header: Header, secret: string): boolean {
  const canonical = [`t=${header.timestamp}`, ...header.signatures.map((value) => `v1=${value}`)].join(",");
  try {
    // Tolerance 0 leaves freshness to the caller, who looks at both sides of it.
    return Stripe.webhooks.signature!.verifyHeader("-", canonical, secret, 0, {
      computeHMACSignature: () => computeSignature(header.timestamp, body, secret),
    } as unknown as Stripe.CryptoProvider);
  } catch {
    return false;
  }
}

function computeSignature(timestamp: number, body: Buffer, secret: string): string {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
}

function identify({ payload }: { payload: JsonValue }): Identification {
  const eventId = idText(member(payload, "id"));
  const type = member(payload, "type");
  const object = member(member(payload, "data"), "object");
  const livemode = member(payload, "livemode");
  if (!eventId) return { ok: false, why: "the event has no usable id" };
  if (typeof type !== "string" || !isCleanId(type)) return { ok: false, why: "the event has no usable type" };
  if (typeof livemode !== "boolean")
    return { ok: false, why: "the event does not say whether it is live or test" };
  const account = member(payload, "account") ?? null;
  if (account !== null && !isAccountId(account))
    return { ok: false, why: "the event's account id is not usable" };
  const objectId = idText(member(object, "id"));
  return {
    ok: true,
    identity: {
      eventId,
      type,
      account,
      mode: livemode ? "live" : "test",
      subject: subjectOf(object, objectId),
      apiVersion: idText(member(payload, "api_version")),
      content: [
        eventId,
        type,
        scalar(member(payload, "created")),
        String(livemode),
        account,
        objectId,
        amountOf(object),
        textOf(member(object, "currency")),
      ],
    },
  };
}

/** "~" is our mark of the test mode, so no id of the sender may carry it. */
const isAccountId = (value: JsonValue): value is string =>
  typeof value === "string" && isCleanId(value) && !value.includes("~");

/**
 * The invoice, where there is one: it is what people ask for. Charges and payments named it until 2025; since then
 * the way leads through payment_links.
 */
function subjectOf(object: JsonValue | undefined, objectId: string | null): string | null {
  const invoice = member(object, "invoice");
  return expandableId(invoice) ?? objectId;
}

/** An id, or the id of the object that it was expanded to. */
export function expandableId(value: JsonValue | undefined): string | null {
  return idText(value) ?? idText(member(value, "id"));
}

/** The amount under the first of the names that Stripe's objects use; alike in every API version. */
function amountOf(object: JsonValue | undefined): string | null {
  for (const name of ["amount_paid", "amount", "amount_total", "total"]) {
    const value = member(object, name);
    if (value !== undefined && value !== null) return scalar(value);
  }
  return null;
}

const textOf = (value: JsonValue | undefined): string | null => (typeof value === "string" ? value : null);

function scalar(value: JsonValue | undefined): string | null {
  return value === undefined || value === null || typeof value === "object" ? null : String(value);
}

function sign({ body, secret, now }: Parameters<SourceAdapter["sign"]>[0]): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000);
  return { "stripe-signature": `t=${timestamp},v1=${computeSignature(timestamp, body, secret.text)}` };
}
