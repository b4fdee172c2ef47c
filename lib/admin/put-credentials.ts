import type { Sql, Tx } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import type { CredentialsView } from "#lib/sources/credentials.ts";
import { encryptSecret } from "#lib/sources/secrets.ts";
import { isSameJson, writeAudit } from "./audit.ts";
import { describeSource, type SourceView } from "./describe-source.ts";

export type PutCredentials = {
  id: string;
  /** Null takes the credentials away. */
  apiKey: string | null;
  baseUrl: string | null;
  reason?: string;
};

/** Sets what a source's sender asks of us when we call it. The same again changes nothing. `key`: SECRET_KEY's bytes. */
export async function putCredentials(
  sql: Sql,
  actor: Actor,
  key: Buffer,
  { id, apiKey, baseUrl, reason }: PutCredentials,
): Promise<Outcome<SourceView>> {
  return (await sql.begin(async (tx) => {
    await tx`select from sources where id = ${id} for no key update`;
    const before = await describeSource(tx, id);
    if (!before) return refuse("not_found", "There is no such source.");
    if (apiKey === null) await tx`delete from source_credentials where source_id = ${id}`;
    else await store(tx, key, id, apiKey, baseUrl);
    const after = (await describeSource(tx, id))!;
    const [was, is] = [summarize(before.credentials), summarize(after.credentials)];
    if (!isSameJson(was, is)) {
      await writeAudit(tx, actor, {
        action: "source.credentials",
        target: `source:${id}`,
        reason,
        before: was,
        after: is,
      });
    }
    return succeed(after);
  })) as Outcome<SourceView>;
}

async function store(tx: Tx, key: Buffer, id: string, apiKey: string, baseUrl: string | null): Promise<void> {
  const { ciphertext, keyId, fingerprint } = encryptSecret(apiKey, key);
  await tx`
    insert into source_credentials as kept (source_id, ciphertext, key_id, fingerprint, base_url)
    values (${id}, ${ciphertext}, ${keyId}, ${fingerprint}, ${baseUrl})
    on conflict (source_id) do update set ciphertext = excluded.ciphertext, key_id = excluded.key_id,
      fingerprint = excluded.fingerprint, base_url = excluded.base_url, updated_at = now()
    where (kept.fingerprint, kept.base_url) is distinct from (excluded.fingerprint, excluded.base_url)`;
}

const summarize = (view: CredentialsView | null) =>
  view && { fingerprint: view.fingerprint, baseUrl: view.baseUrl };
