import { v4 as uuidv4 } from "uuid";
import type { Sql } from "#db/client.ts";
import { backoffSeconds } from "#lib/inbox/retry.ts";
import { baseOfAccount } from "#lib/receive/judge.ts";
import { secretKeys } from "#lib/secret-keys.ts";
import { loadCredentials } from "#lib/sources/credentials.ts";
import { readAccounts, type SourceAccount } from "#lib/sources/load.ts";
import { type Fetched, fetchSubscription } from "./fetch-subscription.ts";
import { applyFetched, type LeasedSubscription, leaseSubscription, recordFailedFetch } from "./lease.ts";

export type RefreshOptions = {
  /** Goes where outgoing calls may go (lib/recovery/guarded-fetch.ts). */
  fetch: typeof fetch;
  /** SECRET_KEY's bytes, and those before it. */
  keys?: readonly Buffer[];
  /** Fetches at the most. */
  limit?: number;
  stopped?: () => boolean;
};

/**
 * Fetches subscriptions that events have marked, one after the other: each under a lease of its own that is committed
 * before the call, and applied in one statement after it, so that no transaction is ever open while somebody answers.
 * Safe on any number of workers. Returns how many were applied.
 */
export async function refreshSubscriptions(sql: Sql, options: RefreshOptions): Promise<number> {
  const { limit = 100, stopped = () => false } = options;
  let applied = 0;
  for (let tries = 0; tries < limit && !stopped(); tries++) {
    const leased = await leaseSubscription(sql, uuidv4());
    if (!leased) break;
    if (await settle(sql, leased, await ask(sql, leased, options))) applied++;
  }
  return applied;
}

/** Credentials and accounts are looked up anew: they may have changed since the mark. */
async function ask(
  sql: Sql,
  { sourceId, account, subscription }: LeasedSubscription,
  options: RefreshOptions,
): Promise<Fetched> {
  const credentials = await loadCredentials(sql, sourceId, options.keys ?? secretKeys());
  if (!credentials) return { kind: "refused", error: "the source has no usable credentials" };
  const accounts = await sql<SourceAccount[]>`
    select account, tenant_id as "tenantId", mode, own from source_accounts
    where source_id = ${sourceId} order by account`;
  const base = baseOfAccount(account);
  return fetchSubscription({
    credentials,
    account: base === readAccounts(accounts).ownBase ? null : base,
    mode: base === account ? "live" : "test",
    subscription,
    fetch: options.fetch,
  });
}

/** State × answer → what is written. */
async function settle(sql: Sql, leased: LeasedSubscription, fetched: Fetched): Promise<boolean> {
  switch (fetched.kind) {
    case "fetched":
      return await applyFetched(sql, leased, fetched);
    case "failed": {
      const delay = backoffSeconds(leased.failures + 1, Math.random());
      await recordFailedFetch(sql, leased, fetched.error, delay);
      return false;
    }
    case "refused":
      await recordFailedFetch(sql, leased, fetched.error, null);
      return false;
    default:
      return fetched satisfies never;
  }
}
