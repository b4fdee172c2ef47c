import type { Executor } from "#lib/executor.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { openSecret } from "#lib/sources/secrets.ts";
import type { SourceView } from "./describe-source.ts";

/** Whether a stored secret that is valid in time can be used; `why` says why not, null when it can. */
export type SecretHealth = { fingerprint: string; why: string | null };

/**
 * The secrets of these sources by source id, judged as the receiver judges them when it loads a source. What is
 * decrypted for it stays in here. `keys` are SECRET_KEY's bytes and those of the one before it.
 */
export async function judgeSecrets(
  sql: Executor,
  keys: readonly Buffer[],
  sources: readonly Pick<SourceView, "id" | "kind" | "contract">[],
): Promise<Map<string, SecretHealth[]>> {
  const rows = await sql<{ source: string; ciphertext: Buffer; keyId: string; fingerprint: string }[]>`
    select source_id as source, ciphertext, key_id as "keyId", fingerprint from source_secrets
    where source_id = any(${sources.map(({ id }) => id)}::text[]) and (expires_at is null or expires_at > now())`;
  const health = new Map<string, SecretHealth[]>(sources.map(({ id }) => [id, []]));
  for (const { source, fingerprint, ...sealed } of rows) {
    const { kind, contract } = sources.find(({ id }) => id === source)!;
    const text = openSecret(sealed, keys)?.trim();
    const why =
      text === undefined
        ? "it was encrypted under another SECRET_KEY, or is damaged"
        : (adapterOf(kind)?.checkSecret(text, contract) ?? null);
    health.get(source)!.push({ fingerprint, why });
  }
  return health;
}

/** The same sources, none of them called ready when no secret of it can be used: the receiver answers 503 for it. */
export async function withSecretsJudged(
  sql: Executor,
  keys: readonly Buffer[],
  sources: readonly SourceView[],
): Promise<SourceView[]> {
  const health = await judgeSecrets(sql, keys, sources);
  return sources.map((source) => {
    const secrets = health.get(source.id)!;
    if (source.readiness.state === "unconfigured" || secrets.some(({ why }) => why === null)) return source;
    const why = secrets.length === 0 ? "it has no secret" : `its secret cannot be used: ${secrets[0]!.why}`;
    return { ...source, readiness: { state: "unconfigured", why } };
  });
}
