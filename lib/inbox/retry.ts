import type { Sql } from "#db/client.ts";
import { failpoint } from "#lib/failpoint.ts";
import { describeError } from "#lib/telemetry/log.ts";
import { observeFailedTries } from "#lib/telemetry/observe-apply.ts";

/** CONTRACT §7: base 2 s, at least 1 s, cap 1 h; a round ends 72 h after its first attempt, or at 200 attempts. */
export const RETRY = { baseSeconds: 2, minSeconds: 1, capSeconds: 3_600, roundHours: 72, roundAttempts: 200 };

/**
 * Seconds until the next try after `attempts` tries of this round: capped exponential backoff with full jitter, so
 * that what failed together does not come back together. `random` is in [0, 1). The exponent is bounded before it is
 * used: 2 ** 5000 is Infinity, and a database makes nothing of that.
 */
export function backoffSeconds(attempts: number, random: number): number {
  const { baseSeconds, minSeconds, capSeconds } = RETRY;
  const exponent = Math.min(Math.max(0, Math.trunc(attempts) - 1), 20);
  const ceiling = Math.min(capSeconds, baseSeconds * 2 ** exponent);
  return Math.max(minSeconds, ceiling * random);
}

export type FailedTry = {
  id: string;
  sourceId: string;
  attempts: number;
  roundAttempts: number;
  startedAt: string;
  error: unknown;
};

/** The cause in one line, without parameters: those are payloads. */
export function describeFailure(error: unknown): string {
  const { code, message, name } = describeError(error);
  return `${code ?? name}: ${message}`.slice(0, 500);
}

/** For how long a source was paused in all, a present pause included: from the trigger's columns. */
const PAUSED_SECONDS =
  "(source.paused_seconds + coalesce(greatest(0, extract(epoch from now() - source.paused_at)), 0))::float8";

/** Of the present round, without the time in which its source was paused meanwhile; null before the first failure. */
const ACTIVE_SECONDS = `(extract(epoch from now() - event.round_started_at)::float8
  - greatest(0, ${PAUSED_SECONDS} - coalesce(event.round_paused_seconds, ${PAUSED_SECONDS})))`;

/**
 * Schedules the next try of rows whose transaction was rolled back, in a short transaction of its own, on the
 * database's clock. Only rows still pending with the attempts that were read: a completion by somebody else stays.
 */
export async function recordFailedTries(
  sql: Sql,
  tries: readonly FailedTry[],
  workerId: string,
): Promise<void> {
  if (tries.length === 0) return;
  const rows = tries.map(({ id, attempts, roundAttempts, startedAt, error }) => ({
    id,
    attempts,
    startedAt,
    error: describeFailure(error),
    delay: backoffSeconds(roundAttempts + 1, Math.random()),
  }));
  failpoint("retry.before-record");
  await sql.unsafe(
    `
with row as materialized (
  select * from json_to_recordset($1::text::json) as row (
    id uuid, attempts int, "startedAt" timestamptz, error text, delay float8)
), failed as (
  select event.id, row.error, row."startedAt",
    event.round_attempts + 1 >= ${RETRY.roundAttempts}
      or coalesce(${ACTIVE_SECONDS} >= ${RETRY.roundHours} * 3600, false) as over,
    now() + make_interval(secs => row.delay) as next, ${PAUSED_SECONDS} as paused
  from row join inbox_events event on event.id = row.id join sources source on source.id = event.source_id
  where event.status = 'pending' and event.attempts = row.attempts
  order by event.id for update of event
), scheduled as (
  update inbox_events event
  set attempts = least(event.attempts, 2147483646) + 1, round_attempts = least(event.round_attempts, 2147483646) + 1,
    round_started_at = coalesce(event.round_started_at, now()),
    round_paused_seconds = case when event.round_started_at is null then failed.paused else event.round_paused_seconds end,
    last_error = failed.error, why = failed.error,
    status = case when failed.over then 'failed' else 'pending' end,
    failure_class = case when failed.over then 'exhausted' end,
    next_attempt_at = case when failed.over then null else failed.next end
  from failed where event.id = failed.id
  returning event.id, failed.error, failed."startedAt", event.status
)
insert into inbox_attempts (inbox_event_id, kind, started_at, finished_at, result, why, worker_id)
select id, 'process', "startedAt", clock_timestamp(), case status when 'failed' then 'exhausted' else 'retry' end, error, $2::uuid
from scheduled`,
    [JSON.stringify(rows), workerId],
    { prepare: true },
  );
  failpoint("retry.after-record");
  observeFailedTries(tries);
}
