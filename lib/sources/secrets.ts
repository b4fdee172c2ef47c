import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from "node:crypto";

/** A secret as the database keeps it. */
export type SealedSecret = { ciphertext: Buffer; keyId: string; fingerprint: string };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Which key this is, without telling it: stored beside each ciphertext, so that a changed SECRET_KEY is noticed. */
export function identifyKey(key: Buffer): string {
  return createHash("sha256").update("counterfoil key id\0").update(key).digest("hex").slice(0, 16);
}

/**
 * Encrypts a signing secret with AES-256-GCM under SECRET_KEY (32 bytes). The ciphertext is nonce, tag, data.
 * The fingerprint is keyed as well: a plain hash of a short secret could be guessed.
 */
export function encryptSecret(text: string, key: Buffer): SealedSecret {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const data = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return {
    ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), data]),
    keyId: identifyKey(key),
    fingerprint: createHmac("sha256", key).update(text).digest("hex").slice(0, 8),
  };
}

/** The secret's text, or null when this key did not encrypt it or the ciphertext was damaged. */
export function decryptSecret(
  sealed: Pick<SealedSecret, "ciphertext" | "keyId">,
  key: Buffer,
): string | null {
  if (sealed.keyId !== identifyKey(key)) return null;
  try {
    const nonce = sealed.ciphertext.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce);
    decipher.setAuthTag(sealed.ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const data = decipher.update(sealed.ciphertext.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([data, decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/** The same under whichever of several keys encrypted it. */
export function openSecret(
  sealed: Pick<SealedSecret, "ciphertext" | "keyId">,
  keys: readonly Buffer[],
): string | null {
  for (const key of keys) {
    const text = decryptSecret(sealed, key);
    if (text !== null) return text;
  }
  return null;
}

/** SECRET_KEY's 32 bytes from its base64 text (checked by lib/env.ts). */
export function parseSecretKey(text: string): Buffer {
  return Buffer.from(text, "base64");
}
