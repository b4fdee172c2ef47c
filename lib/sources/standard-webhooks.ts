import { createHash, createHmac } from "node:crypto";
import { idText, isCleanId, member } from "#lib/json.ts";
import { digestJson } from "./canonical-json.ts";
import { matchSecret } from "./match-secret.ts";
import { decodeStrictly } from "./strict-encoding.ts";
import type {
  HeaderReader,
  Identification,
  IdentifyInput,
  SignInput,
  SourceAdapter,
  Verification,
  VerifyInput,
} from "./types.ts";

/** Seconds, both ways, as in the senders' own libraries. */
const TOLERANCE = 300;
const PREFIX = "whsec_";

export const standardWebhooks: SourceAdapter = {
  kind: "standard-webhooks",
  checkSecret,
  verify,
  identify,
  sign,
};

/** The key inside a secret: strict base64 of 24 to 64 bytes (Standard Webhooks, "Signature scheme"), or null. */
function decodeKey(text: string): Buffer | null {
  const key = decodeStrictly(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text, "base64");
  return key && key.length >= 24 && key.length <= 64 ? key : null;
}

function checkSecret(text: string): string | null {
  if (/^wh[sp]k_/.test(text))
    return "asymmetric keys (v1a) are not supported: enter the symmetric whsec_ secret";
  return decodeKey(text) ? null : `the secret must be ${PREFIX} followed by 24 to 64 bytes in base64`;
}

type Signed = { id: string; timestamp: string; signature: string };

/**
 * The three headers, from one family alone: mixing them would let a stranger replace one that the other family
 * signed. Both may be there when they say the same (some senders send both).
 */
function readHeaders(header: HeaderReader): Signed | "missing" | "ambiguous" {
  const read = (family: string) => ({
    id: header(`${family}-id`),
    timestamp: header(`${family}-timestamp`),
    signature: header(`${family}-signature`),
  });
  const standard = read("webhook");
  const svix = read("svix");
  for (const name of ["id", "timestamp", "signature"] as const) {
    if (standard[name] !== null && svix[name] !== null && standard[name] !== svix[name]) return "ambiguous";
  }
  const chosen = [standard, svix].find(({ id, timestamp, signature }) => id && timestamp && signature);
  return chosen ? (chosen as Signed) : "missing";
}

/** A header sent twice arrives joined with ", ", which none of the shapes below lets through. */
const ID = /^[!-+\--~]{1,255}$/;
const TIMESTAMP = /^[1-9][0-9]{0,11}$/;

/**
 * The signatures of version 1. Others (v1a, v2) are no proof and no error, nor is one of a wrong length beside a
 * right one; null when none has the shape of an HMAC-SHA256 or the header was sent twice.
 */
function readSignatures(text: string): Buffer[] | null {
  const parts = text.split(" ");
  if (parts.length > 20 || parts.some((part) => part.endsWith(","))) return null;
  const signatures = parts
    .filter((part) => part.startsWith("v1,"))
    .map((part) => decodeStrictly(part.slice(3), "base64"))
    .filter((bytes) => bytes?.length === 32);
  return signatures.length > 0 ? (signatures as Buffer[]) : null;
}

/** `id.timestamp.body`, over the bytes: the official library decodes a Buffer to text first (CASES V02). */
function computeMac(key: Buffer, { id, timestamp }: Omit<Signed, "signature">, body: Buffer): Buffer {
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}

function verify({ body, header, secrets, now }: VerifyInput): Verification {
  const signed = readHeaders(header);
  if (signed === "missing") return { ok: false, reason: "signature_missing" };
  if (signed === "ambiguous" || !ID.test(signed.id) || !TIMESTAMP.test(signed.timestamp)) {
    return { ok: false, reason: "signature_malformed" };
  }
  const signatures = readSignatures(signed.signature);
  if (!signatures) return { ok: false, reason: "signature_malformed" };
  const secret = matchSecret(secrets, signatures, ({ text }) => {
    const key = decodeKey(text);
    return key && computeMac(key, signed, body);
  });
  if (!secret) return { ok: false, reason: "signature_mismatch" };
  const skew = Math.floor(now.getTime() / 1000) - Number(signed.timestamp);
  if (Math.abs(skew) > TOLERANCE) return { ok: false, reason: "timestamp_stale", detail: `skew ${skew} s` };
  return { ok: true, secret };
}

function identify({ payload, header }: IdentifyInput): Identification {
  const signed = readHeaders(header);
  if (typeof signed === "string" || !ID.test(signed.id))
    return { ok: false, why: "the event has no usable id" };
  const type = member(payload, "type");
  if (typeof type !== "string" || !isCleanId(type)) return { ok: false, why: "the event has no usable type" };
  return {
    ok: true,
    identity: {
      eventId: signed.id,
      type,
      account: null,
      mode: "live",
      subject: idText(member(member(payload, "data"), "id")),
      apiVersion: null,
      content: [type, digestJson(payload)],
    },
  };
}

/** Throws when the secret is none that checkSecret lets through. */
function sign({ body, secret, now, id }: SignInput): Record<string, string> {
  const key = decodeKey(secret.text);
  if (!key) throw new Error("the secret cannot sign: checkSecret refuses it");
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const webhookId = id ?? `msg_${createHash("sha256").update(body).digest("hex").slice(0, 27)}`;
  const mac = computeMac(key, { id: webhookId, timestamp }, body);
  return {
    "webhook-id": webhookId,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${mac.toString("base64")}`,
  };
}
