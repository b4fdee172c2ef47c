/** What is known about a subscription or transaction, as plain JSON from PROJECTION. Times are PostgreSQL's text. */
export type ProjectionView = {
  kind: "subscription" | "transaction";
  status: string | null;
  /** Digits. */
  version: string | null;
  source: "event" | "fetch" | null;
  canFetch: boolean;
  /** A fetch is due or under way. */
  due: boolean;
  error: string | null;
};

/** An expression over inbox_events e: the projection that the event's subject has, as JSON, or null. */
export const PROJECTION = `(
  select json_build_object('kind', kind, 'status', status, 'version', version::text, 'source', state_source,
    'canFetch', exists (select from source_credentials held where held.source_id = e.source_id),
    'due', due, 'error', error)
  from (
    select 'subscription' as kind, status, version, state_source, refresh_at is not null as due, refresh_error as error
    from subscriptions where (source_id, account, subscription) = (e.source_id, e.account, e.subject)
    union all
    select 'transaction', status, version, state_source, false, null
    from transactions where (source_id, account, transaction) = (e.source_id, e.account, e.subject)
  ) found limit 1)`;

/** One line for people: what it is, and how that is known. Never more certain than it is. */
export function tellProjection({
  kind,
  status,
  version,
  source,
  canFetch,
  due,
  error,
}: ProjectionView): string {
  const state = status === null ? "not known yet" : status.replaceAll("_", " ");
  return `${state}, ${[...how()].join("; ")}`;

  function* how(): Generator<string> {
    if (version !== null) yield `version ${version} of the sender`;
    else if (source === "fetch") yield "as the sender answered";
    else if (source === "event") yield "as the last event told it";
    else yield "no answer so far";
    if (kind === "transaction") return;
    if (error) yield `the last fetch failed: ${error}`;
    if (due) yield "a fetch is due";
    else if (!canFetch) yield "not fetched: no credentials are configured for this source";
  }
}
