import { timingSafeEqual } from "node:crypto";
import type { Secret } from "./types.ts";

/**
 * The first secret (newest first) under which one of the signatures is right, or null. `compute` gives the raw MAC
 * that the secret makes, null where the secret cannot be a key. Compares in constant time; a signature of another
 * length never matches, because timingSafeEqual would throw on it.
 */
export function matchSecret(
  secrets: readonly Secret[],
  signatures: readonly Buffer[],
  compute: (secret: Secret) => Buffer | null,
): Secret | null {
  for (const secret of secrets) {
    const expected = compute(secret);
    if (!expected) continue;
    for (const signature of signatures) {
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) return secret;
    }
  }
  return null;
}

/** What templates and examples leave behind where a secret belongs. */
const PLACEHOLDER =
  /^(?:<.*>|\$\{.*\}|\{\{.*\}\}|(?:change|replace)[-_ ]?(?:me|this).*|your[-_ ].*(?:secret|key)|.*placeholder.*)$/i;

/**
 * Why a text secret cannot be used, or null. A short or constant one could be guessed, and a forged signature is
 * all that stands between a stranger and the inbox.
 */
export function checkTextSecret(text: string): string | null {
  if (text.trim() === "") return "the secret is empty";
  if (PLACEHOLDER.test(text)) return "the secret looks like a placeholder";
  if (Buffer.byteLength(text) < 16) return "the secret must have at least 16 characters";
  return new Set(text).size < 5 ? "the secret repeats the same few characters" : null;
}
