import type { Executor } from "#lib/executor.ts";
import { secretKeys } from "#lib/secret-keys.ts";
import { openSecret } from "./secrets.ts";

/** What it takes to call a sender's API. `baseUrl` has no slash at the end; null is the kind's own address. */
export type Credentials = { apiKey: string; baseUrl: string | null };

/** Credentials as they may be shown: which they are, not what they are. `updatedAt` is PostgreSQL's text. */
export type CredentialsView = { fingerprint: string; baseUrl: string | null; updatedAt: string };

/**
 * A source's credentials, or null when it has none, or none that `keys` (SECRET_KEY's bytes, and those before it)
 * open. Never to be logged or kept: load them anew for each round of calls, so that a change counts at once.
 */
export async function loadCredentials(
  tx: Executor,
  sourceId: string,
  keys: readonly Buffer[] = secretKeys(),
): Promise<Credentials | null> {
  const [row] = await tx<{ ciphertext: Buffer; keyId: string; baseUrl: string | null }[]>`
    select ciphertext, key_id as "keyId", base_url as "baseUrl" from source_credentials where source_id = ${sourceId}`;
  if (!row) return null;
  const apiKey = openSecret(row, keys);
  return apiKey === null ? null : { apiKey, baseUrl: row.baseUrl };
}
