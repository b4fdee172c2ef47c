import type { Channel } from "#db/states.ts";
import type { Target } from "#lib/channels/types.ts";
import { openSecret } from "#lib/sources/secrets.ts";

export type StoredTarget = {
  channel: Channel;
  url: string | null;
  recipient: string | null;
  secretCiphertext: Buffer | null;
  secretKeyId: string | null;
};

/** The target with its secret decrypted; null when no key opens it. A Slack webhook's secret is its URL. */
export function targetFrom(stored: StoredTarget, keys: readonly Buffer[]): Target | null {
  const { channel, url, recipient, secretCiphertext, secretKeyId } = stored;
  if (!secretCiphertext) return { url, to: recipient, secret: null };
  const secret = openSecret({ ciphertext: secretCiphertext, keyId: secretKeyId ?? "" }, keys);
  if (secret === null) return null;
  return channel === "slack" ? { url: secret, to: recipient, secret: null } : { url, to: recipient, secret };
}
