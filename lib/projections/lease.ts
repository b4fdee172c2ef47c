import type { Sql } from "#db/client.ts";

/** A subscription that is to be fetched, held under a committed lease: nobody else fetches it until that ends. */
export type LeasedSubscription = {
  sourceId: string;
  account: string;
  subscription: string;
  /** Whoever has it holds the subscription; a write with another one finds nothing. */
  token: string;
  /** Marks that the fetch will have seen. */
  marks: bigint;
  failures: number;
};

/** Seconds: longer than a fetch can take, so that a lease ends only where its process did. */
export const LEASE_SECONDS = 60;

/** Takes the subscription that has been due the longest; null when none is. Commits before it returns. */
export async function leaseSubscription(sql: Sql, token: string): Promise<LeasedSubscription | null> {
  const [row] = await sql<LeasedSubscription[]>`
    with due as materialized (
      select source_id, account, subscription from subscriptions
      where refresh_at <= now() and (lease_until is null or lease_until <= now())
      order by refresh_at limit 1 for update skip locked
    )
    update subscriptions held
    set lease_token = ${token}, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    from due
    where (held.source_id, held.account, held.subscription) = (due.source_id, due.account, due.subscription)
    returning held.source_id as "sourceId", held.account, held.subscription, held.lease_token as token, held.marks,
      held.refresh_failures as failures`;
  return row ?? null;
}

/**
 * Applies what was fetched, where the token still matches. A subscription that was marked meanwhile stays due: what
 * was fetched may be older than that mark. An end stays: no answer, which may come from a replica that lags, undoes it.
 * Returns whether it was applied.
 */
export async function applyFetched(
  sql: Sql,
  { sourceId, account, subscription, token, marks }: LeasedSubscription,
  fetched: { status: string; customer: string | null },
): Promise<boolean> {
  const { count } = await sql`
    update subscriptions set
      status = case when status in ('canceled', 'incomplete_expired') then status else ${fetched.status} end,
      customer = coalesce(${fetched.customer}, customer),
      state_source = 'fetch', fetched_at = now(), fetched_marks = greatest(fetched_marks, ${marks.toString()}::bigint),
      refresh_at = case when marks > ${marks.toString()}::bigint then now() end,
      refresh_failures = 0, refresh_error = null, lease_token = null, lease_until = null, updated_at = now()
    where (source_id, account, subscription) = (${sourceId}, ${account}, ${subscription}) and lease_token = ${token}`;
  return count === 1;
}

/** Records that a fetch failed. `retrySeconds`: when it is tried again; null leaves it until the next mark. */
export async function recordFailedFetch(
  sql: Sql,
  { sourceId, account, subscription, token, marks }: LeasedSubscription,
  error: string,
  retrySeconds: number | null,
): Promise<boolean> {
  const { count } = await sql`
    update subscriptions set refresh_failures = refresh_failures + 1, refresh_error = ${error},
      refresh_at = case when ${retrySeconds}::float8 is not null then now() + make_interval(secs => ${retrySeconds}::float8)
        when marks > ${marks.toString()}::bigint then now() end,
      lease_token = null, lease_until = null, updated_at = now()
    where (source_id, account, subscription) = (${sourceId}, ${account}, ${subscription}) and lease_token = ${token}`;
  return count === 1;
}

/** Makes due what was only known from events, once its source has credentials. Returns how many. */
export async function adoptUnfetched(sql: Sql): Promise<number> {
  const { count } = await sql`
    update subscriptions set marks = marks + 1, refresh_at = now()
    where refresh_at is null and state_source = 'event'
      and exists (select from source_credentials held where held.source_id = subscriptions.source_id)`;
  return count;
}
