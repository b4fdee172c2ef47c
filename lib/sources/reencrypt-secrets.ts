import type { Sql } from "#db/client.ts";
import { encryptSecret, identifyKey, openSecret } from "./secrets.ts";

export type Reencrypted = {
  /** Secrets that are under the present key from now on. */
  moved: number;
  /** Sources with a secret that no key at hand opens. */
  unreadable: string[];
};

type Row = { id: string; sourceId: string; ciphertext: Buffer; keyId: string };

/**
 * Moves secrets that are still under `oldKeys` (SECRET_KEY_OLD) to `key`. The fingerprint stays: events name the secret
 * that verified them by it. Safe to run by several machines at once, and again.
 */
export async function reencryptSecrets(
  sql: Sql,
  key: Buffer,
  oldKeys: readonly Buffer[],
): Promise<Reencrypted> {
  const result: Reencrypted = { moved: 0, unreadable: [] };
  await sql.begin(async (tx) => {
    const rows = await tx<Row[]>`
      select id, source_id as "sourceId", ciphertext, key_id as "keyId" from source_secrets
      where key_id <> ${identifyKey(key)} order by id for update`;
    for (const { id, sourceId, ...sealed } of rows) {
      const text = openSecret(sealed, oldKeys);
      if (text === null) {
        result.unreadable.push(sourceId);
        continue;
      }
      const { ciphertext, keyId } = encryptSecret(text, key);
      await tx`update source_secrets set ciphertext = ${ciphertext}, key_id = ${keyId} where id = ${id}`;
      result.moved++;
    }
  });
  return { ...result, unreadable: [...new Set(result.unreadable)].sort() };
}
