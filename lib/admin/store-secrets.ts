import { v7 as uuidv7 } from "uuid";
import type { Tx } from "#db/client.ts";
import { decryptSecret, encryptSecret } from "#lib/sources/secrets.ts";

type StoredSecret = { id: string; text: string | null };

/**
 * Makes `texts` the source's secrets, valid at once and without end; all others go. One that is there already keeps
 * its row, and with it its age. `key` is SECRET_KEY's bytes.
 */
export async function replaceSecrets(
  tx: Tx,
  key: Buffer,
  sourceId: string,
  texts: readonly string[],
): Promise<void> {
  const kept = await keepOrInsert(tx, key, sourceId, texts);
  await tx`delete from source_secrets where source_id = ${sourceId} and id <> all(${kept}::uuid[])`;
}

/** Adds a secret and lets the others end after `overlapSeconds`, or when they were to end anyway. */
export async function overlapSecrets(
  tx: Tx,
  key: Buffer,
  sourceId: string,
  text: string,
  overlapSeconds: number,
): Promise<void> {
  const kept = await keepOrInsert(tx, key, sourceId, [text]);
  await tx`delete from source_secrets where source_id = ${sourceId} and expires_at <= now()`;
  await tx`
    update source_secrets set expires_at = least(expires_at, now() + make_interval(secs => ${overlapSeconds}))
    where source_id = ${sourceId} and id <> all(${kept}::uuid[])`;
}

async function keepOrInsert(
  tx: Tx,
  key: Buffer,
  sourceId: string,
  texts: readonly string[],
): Promise<string[]> {
  const stored = await loadStored(tx, key, sourceId);
  const kept: string[] = [];
  for (const text of new Set(texts)) {
    const same = stored.find((secret) => secret.text === text);
    kept.push(same ? same.id : await insertSecret(tx, key, sourceId, text));
  }
  await tx`
    update source_secrets set expires_at = null
    where source_id = ${sourceId} and id = any(${kept}::uuid[]) and expires_at is not null`;
  return kept;
}

async function loadStored(tx: Tx, key: Buffer, sourceId: string): Promise<StoredSecret[]> {
  const rows = await tx<{ id: string; ciphertext: Buffer; keyId: string }[]>`
    select id, ciphertext, key_id as "keyId" from source_secrets where source_id = ${sourceId} for update`;
  return rows.map(({ id, ...sealed }) => ({ id, text: decryptSecret(sealed, key) }));
}

async function insertSecret(tx: Tx, key: Buffer, sourceId: string, text: string): Promise<string> {
  const id = uuidv7();
  const { ciphertext, keyId, fingerprint } = encryptSecret(text, key);
  await tx`
    insert into source_secrets (id, source_id, ciphertext, key_id, fingerprint)
    values (${id}, ${sourceId}, ${ciphertext}, ${keyId}, ${fingerprint})`;
  return id;
}
