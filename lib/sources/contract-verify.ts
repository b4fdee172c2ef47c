import { createHash, createHmac } from "node:crypto";
import type { Clock, CompiledVerification } from "./contract-compile.ts";
import { measureSkew, readBodyTimestamp, readTimestamp, writeTimestamp } from "./contract-time.ts";
import { checkTextSecret, matchSecret } from "./match-secret.ts";
import { decodeStrictly } from "./strict-encoding.ts";
import type { HeaderReader, SignInput, Verification, VerifyInput } from "./types.ts";

/** Visible ASCII without quote, comma and braces: joined headers and the start of a body cannot hide in it. */
const SIGNED_ID = /^[!#-+\--z|~]{1,255}$/;
/** More signatures than any sender sends; each costs a comparison. */
const MAX_PARTS = 32;

/** What the placeholders stand for; null for those that the signed content does not have. */
type Values = { id: string | null; timestamp: string | null };

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
    else mac.update(part.placeholder === "body" ? body : (values[part.placeholder] ?? ""));
  }
  return mac.digest();
}

function splitHeader({ signature }: CompiledVerification, text: string): string[] {
  return signature.separator ? text.split(signature.separator).map((part) => part.trim()) : [text];
}

/** Signatures of the right shape; a part of another scheme is no proof and no error. */
function readSignatures(verification: CompiledVerification, parts: readonly string[]): Buffer[] {
  const { prefix, encoding } = verification.signature;
  return readParts(parts, prefix)
    .map((text) => decodeStrictly(text, encoding))
    .filter((bytes) => bytes !== null)
    .filter((bytes) => bytes.length === verification.digestBytes);
}

/** The one timestamp outside the body; null when it is missing, ambiguous or not in the contract's unit. */
function readOuterTimestamp(clock: Clock, header: HeaderReader, parts: readonly string[]): string | null {
  if (!clock.outer) return null;
  const texts =
    "header" in clock.outer ? [header(clock.outer.header)] : readParts(parts, clock.outer.signaturePart);
  const text = texts.length === 1 ? texts[0] : null;
  return text && readTimestamp(text, clock.unit) !== null ? text : null;
}

/** The rest of each part that begins with `prefix`. */
function readParts(parts: readonly string[], prefix: string): string[] {
  return parts.filter((part) => part.startsWith(prefix)).map((part) => part.slice(prefix.length));
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
  if (signatures.length === 0 || parts.length > MAX_PARTS)
    return { ok: false, reason: "signature_malformed" };

  const { clock, signedIdHeader } = verification;
  const timestamp = clock && readOuterTimestamp(clock, header, parts);
  if (clock?.outer && timestamp === null) {
    return { ok: false, reason: "signature_malformed", detail: "no readable timestamp" };
  }
  const id = signedIdHeader && header(signedIdHeader);
  if (signedIdHeader && !SIGNED_ID.test(id ?? "")) {
    return { ok: false, reason: "signature_malformed", detail: "no usable id" };
  }
  const secret = matchSecret(secrets, signatures, (candidate) => {
    const key = decodeKey(verification, candidate.text);
    return key && computeMac(verification, key, { id, timestamp }, body);
  });
  if (!secret) return { ok: false, reason: "signature_mismatch" };
  const stale = clock && findStale(clock, timestamp, body, now);
  return stale ? { ok: false, reason: "timestamp_stale", detail: stale } : { ok: true, secret };
}

/** How an authentic delivery is too old or too early, for the rejection log; null when it is neither. */
function findStale(clock: Clock, outer: string | null, body: Buffer, now: Date): string | null {
  const text = clock.path ? readBodyTimestamp(body, clock.path) : outer;
  const moment = text === null ? null : readTimestamp(text, clock.unit);
  if (moment === null) return "the body has no readable timestamp";
  const skew = measureSkew(moment, now, clock.unit);
  return Math.abs(skew) <= clock.toleranceSeconds * 1000 ? null : `skew ${Math.round(skew / 1000)} s`;
}

/** Headers under which verifyByContract accepts `body`. Throws when the secret cannot be a key. */
export function signByContract(
  verification: CompiledVerification,
  { body, secret, now, id }: Pick<SignInput, "body" | "secret" | "now" | "id">,
): Record<string, string> {
  const key = decodeKey(verification, secret.text);
  if (!key) throw new Error("the secret cannot sign: checkSecret refuses it");
  const { signature, clock, signedIdHeader } = verification;
  const outer = clock?.outer ?? null;
  const timestamp = clock && outer && writeTimestamp(now, clock.unit);
  const values = { id: signedIdHeader && (id ?? deriveId(body)), timestamp };
  const proof = signature.prefix + computeMac(verification, key, values, body).toString(signature.encoding);
  const inSignature = outer && "signaturePart" in outer ? [`${outer.signaturePart}${timestamp}`] : [];
  return {
    [signature.header]: [...inSignature, proof].join(signature.separator ?? ""),
    ...(outer && "header" in outer && { [outer.header]: String(timestamp) }),
    ...(signedIdHeader && { [signedIdHeader]: String(values.id) }),
  };
}

/** An event id for a body that was given none: the same body has the same one. */
export function deriveId(body: Buffer): string {
  return `evt_${createHash("sha256").update(body).digest("hex").slice(0, 28)}`;
}
