import type { Sql } from "#db/client.ts";
import { env } from "#lib/env.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import { refreshSubscriptions } from "#lib/projections/refresh.ts";
import { createGuardedFetch } from "#lib/recovery/guarded-fetch.ts";

/** Fetches what events have marked, until nothing is due; nothing where credentials could not be opened anyway. */
export function createRefresher(sql: Sql, stopped: () => boolean): () => Promise<unknown> {
  const { SECRET_KEY, OUTBOUND_ALLOW = "" } = env();
  const allowed = parseAllowances(OUTBOUND_ALLOW);
  if (!SECRET_KEY || !allowed.ok) return async () => {};
  const fetch = createGuardedFetch(allowed.allow);
  return () => refreshSubscriptions(sql, { fetch, stopped });
}
