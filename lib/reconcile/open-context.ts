import type { Sql } from "#db/client.ts";
import type { Allowances } from "#lib/outbound/allowances.ts";
import { SenderFailure } from "#lib/recovery/failure.ts";
import { recoveryOf } from "#lib/recovery/index.ts";
import { loadCredentials } from "#lib/sources/credentials.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { loadSource } from "#lib/sources/load.ts";
import type { RunContext } from "./list-step.ts";

export type ContextOptions = {
  /** SECRET_KEY's bytes, and those of the one before it. */
  keys: readonly Buffer[];
  /** OUTBOUND_ALLOW */
  allow: Allowances;
};

/** Source, credentials and sender's client for one run, as they are now. Throws a permanent SenderFailure. */
export async function openContext(
  sql: Sql,
  sourceId: string,
  { keys, allow }: ContextOptions,
): Promise<RunContext> {
  const source = await loadSource(sql, sourceId, keys);
  const adapter = source && adapterOf(source.kind);
  const recovery = source && recoveryOf(source.kind);
  if (!source || !adapter || !recovery) throw new SenderFailure("this kind of sender offers no list", true);
  const credentials = await loadCredentials(sql, sourceId, keys);
  if (!credentials) throw new SenderFailure("the source has no credentials that can be opened", true);
  const wrongUrl = recovery.checkBaseUrl(credentials.baseUrl);
  if (wrongUrl) throw new SenderFailure(wrongUrl, true);
  const mode = recovery.modeOf(credentials.apiKey);
  const bases = [...source.accounts.values()]
    .filter((account) => mode === null || account.mode === mode)
    .map(({ account }) => account.replace(/~test$/, ""));
  const accounts = recovery.perAccount
    ? [...new Set(bases)].map((base) => (base === source.ownBase ? null : base))
    : [null];
  if (accounts.length === 0)
    throw new SenderFailure(`the key is for ${mode} mode, and no account of that mode is configured`, true);
  const client = recovery.open({
    credentials,
    allow,
    contract: source.contract,
    lookbackDays: source.settings.reconcile.lookbackDays,
  });
  return { source, adapter, recovery, client, accounts, mode };
}
