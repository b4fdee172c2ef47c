import type { Sql } from "#db/client.ts";
import { encryptSecret, identifyKey, openSecret } from "./secrets.ts";

export type Reencrypted = {
  /** Secrets that are under the present key from now on. */
  moved: number;
  /** Sources with a secret that no key at hand opens. */
  unreadable: string[];
};

/** What is sealed under SECRET_KEY, and the column that tells its rows apart. */
const TABLES = [
  { table: "source_secrets", key: "id" },
  { table: "source_credentials", key: "source_id" },
] as const;

type Row = { id: string; sourceId: string; ciphertext: Buffer; keyId: string };

/**
 * Moves secrets and credentials that are still under `oldKeys` (SECRET_KEY_OLD) to `key`. The fingerprint stays: events name the secret
 * that verified them by it. Safe to run by several machines at once, and again.
 */
export async function reencryptSecrets(
  sql: Sql,
  key: Buffer,
  oldKeys: readonly Buffer[],
): Promise<Reencrypted> {
  const result: Reencrypted = { moved: 0, unreadable: [] };
  await sql.begin(async (tx) => {
    for (const { table, key: column } of TABLES) {
      const rows = await tx<Row[]>`
        select ${tx(column)} as id, source_id as "sourceId", ciphertext, key_id as "keyId" from ${tx(table)}
        where key_id <> ${identifyKey(key)} order by 1 for update`;
      for (const { id, sourceId, ...sealed } of rows) {
        const text = openSecret(sealed, oldKeys);
        if (text === null) {
          result.unreadable.push(sourceId);
          continue;
        }
        const { ciphertext, keyId } = encryptSecret(text, key);
        await tx`update ${tx(table)} set ciphertext = ${ciphertext}, key_id = ${keyId} where ${tx(column)} = ${id}`;
        result.moved++;
      }
    }
  });
  return { ...result, unreadable: [...new Set(result.unreadable)].sort() };
}
