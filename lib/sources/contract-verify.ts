import { createHash, createHmac } from "node:crypto";
import type { CompiledVerification } from "./contract-compile.ts";
import { measureSkew, readBodyTimestamp, readTimestamp, writeTimestamp } from "./contract-time.ts";
import { checkTextSecret, matchSecret } from "./match-secret.ts";
import { decodeStrictly } from "./strict-encoding.ts";
import type { HeaderReader, Secret, SignInput, Verification, VerifyInput } from "./types.ts";

/** Visible ASCII without quote, comma and braces: joined headers and the start of a body cannot hide in it. */
const SIGNED_ID = /^[!#-+\--z|~]{1,255}$/;
/** More signatures than any sender sends; each costs a comparison. */
const MAX_PARTS = 32;

type Values = { id: string; timestamp: string };

/** The key that a secret's text means under this contract, or null. */
function decodeKey({ secret }: CompiledVerification, text: string): Buffer | null {
  const bare = text.startsWith(secret.prefix) ? text.slice(secret.prefix.length) : text;
  const key = secret.encoding === "utf8" ? Buffer.from(bare) : decodeStrictly(bare, secret.encoding);
  return key && key.length > 0 ? key : null;
}

/** Why a text cannot be the signing secret, or null. Without a contract, judged as plain text. */
export function checkContractSecret(verification: CompiledVerification | null, text: string): string | null {
  if (!verification || verification.secret.encoding === "utf8") {
    const prefix = verification?.secret.prefix ?? "";
    return checkTextSecret(text.startsWith(prefix) ? text.slice(prefix.length) : text);
  }
  const key = decodeKey(verification, text);
  if (!key) return `the secret is not valid ${verification.secret.encoding}`;
  return key.length >= 16 ? null : "the secret must have at least 16 bytes";
}

function computeMac(verification: CompiledVerification, key: Buffer, values: Values, body: Buffer): Buffer {
  const mac = createHmac(verification.signature.algorithm, key);
  for (const part of verification.parts) {
    if ("text" in part) mac.update(part.text);
    else mac.update(part.placeholder === "body" ? body : values[part.placeholder]);
  }
  return mac.digest();
}

function splitHeader({ signature }: CompiledVerification, text: string): string[] {
  return signature.separator ? text.split(signature.separator).map((part) => part.trim()) : [text];
}

/** Signatures of the right shape; a part of another scheme is no proof and no error. */
function readSignatures(verification: CompiledVerification, parts: readonly string[]): Buffer[] {
  const { prefix, encoding } = verification.signature;
  return parts
    .filter((part) => part.startsWith(prefix))
    .map((part) => decodeStrictly(part.slice(prefix.length), encoding))
    .filter((bytes) => bytes !== null)
    .filter((bytes) => bytes.length === verification.digestBytes);
}

/** The one timestamp outside the body; "" when the contract has none there, null when it is missing or ambiguous. */
function readOuterTimestamp(
  { timestamp }: CompiledVerification,
  header: HeaderReader,
  parts: readonly string[],
): string | null {
  if (timestamp.kind === "none" || "path" in timestamp.from) return "";
  if ("header" in timestamp.from) return header(timestamp.from.header);
  const { signaturePart } = timestamp.from;
  const found = parts.filter((part) => part.startsWith(signaturePart));
  return found.length === 1 ? found[0]!.slice(signaturePart.length) : null;
}

/**
 * Judges a request by its contract: shape first, then the signature, then freshness, so that a skew is only ever
 * reported for an authentic delivery. Never throws.
 */
export function verifyByContract(
  verification: CompiledVerification,
  { body, header, secrets, now }: Pick<VerifyInput, "body" | "header" | "secrets" | "now">,
): Verification {
  const text = header(verification.signature.header);
  if (!text) return { ok: false, reason: "signature_missing" };
  const parts = splitHeader(verification, text);
  const signatures = readSignatures(verification, parts);
  const timestamp = readOuterTimestamp(verification, header, parts);
  const id = verification.signedIdHeader ? header(verification.signedIdHeader) : "";
  if (!timestamp && timestamp !== "")
    return { ok: false, reason: "signature_malformed", detail: "no timestamp" };
  if (signatures.length === 0 || parts.length > MAX_PARTS)
    return { ok: false, reason: "signature_malformed" };
  if (id === null || (verification.signedIdHeader && !SIGNED_ID.test(id))) {
    return { ok: false, reason: "signature_malformed", detail: "no usable id" };
  }
  if (timestamp !== "" && verification.timestamp.kind !== "none") {
    if (readTimestamp(timestamp, verification.timestamp.unit) === null) {
      return { ok: false, reason: "signature_malformed", detail: "the timestamp is not readable" };
    }
  }
  const secret = matchSecret(secrets, signatures, (candidate) => {
    const key = decodeKey(verification, candidate.text);
    return key && computeMac(verification, key, { id, timestamp }, body);
  });
  if (!secret) return { ok: false, reason: "signature_mismatch" };
  return judgeFreshness(verification, timestamp, body, now, secret);
}

function judgeFreshness(
  { timestamp, timestampPath }: CompiledVerification,
  outer: string,
  body: Buffer,
  now: Date,
  secret: Secret,
): Verification {
  if (timestamp.kind === "none") return { ok: true, secret };
  const text = timestampPath ? readBodyTimestamp(body, timestampPath) : outer;
  const moment = text === null ? null : readTimestamp(text, timestamp.unit);
  if (moment === null) {
    return { ok: false, reason: "timestamp_stale", detail: "the body has no readable timestamp" };
  }
  const skew = measureSkew(moment, now, timestamp.unit);
  if (Math.abs(skew) <= timestamp.toleranceSeconds * 1000) return { ok: true, secret };
  return { ok: false, reason: "timestamp_stale", detail: `skew ${Math.round(skew / 1000)} s` };
}

/** Headers under which verifyByContract accepts `body`. Throws when the secret cannot be a key. */
export function signByContract(
  verification: CompiledVerification,
  { body, secret, now, id }: Pick<SignInput, "body" | "secret" | "now" | "id">,
): Record<string, string> {
  const key = decodeKey(verification, secret.text);
  if (!key) throw new Error("the secret cannot sign: checkSecret refuses it");
  const { signature, timestamp, timestampPath, signedIdHeader } = verification;
  const outer = timestamp.kind === "none" || timestampPath ? "" : writeTimestamp(now, timestamp.unit);
  const values = { id: signedIdHeader ? (id ?? deriveId(body)) : "", timestamp: outer };
  const mac = computeMac(verification, key, values, body);
  const from = timestamp.kind === "none" ? null : timestamp.from;
  const proof = `${signature.prefix}${mac.toString(signature.encoding)}`;
  const parts = from && "signaturePart" in from ? [`${from.signaturePart}${outer}`, proof] : [proof];
  return {
    [signature.header]: parts.join(signature.separator ?? ""),
    ...(from && "header" in from && { [from.header]: outer }),
    ...(signedIdHeader && { [signedIdHeader]: values.id }),
  };
}

/** An event id for a body that was given none: the same body has the same one. */
export function deriveId(body: Buffer): string {
  return `evt_${createHash("sha256").update(body).digest("hex").slice(0, 28)}`;
}
