import type { Sql } from "#db/client.ts";
import { failpoint } from "#lib/failpoint.ts";
import { observeFailedTries } from "#lib/telemetry/observe-apply.ts";
import { classifyFailure, disposeOf } from "./classify-failure.ts";
import { LANES } from "./lanes.ts";

/** CONTRACT §7: base 2 s, at least 1 s, cap 1 h; a round ends 72 h after its first attempt, or at 200 attempts. */
export const RETRY = { baseSeconds: 2, minSeconds: 1, capSeconds: 3_600, roundHours: 72, roundAttempts: 200 };

/** Times that a row may take its process down while nothing else is at work in it. */
export const MOST_CRASHES = 3;

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

/**
 * Records tries whose transaction was rolled back, and what follows for their rows: another try, a wait or an end. In
 * a short transaction of its own, on the database's clock. Only rows still pending with the attempts that were read: a
 * completion by somebody else stays.
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
    ...disposeOf(classifyFailure(error)),
    delay: backoffSeconds(roundAttempts + 1, Math.random()),
  }));
  failpoint("retry.before-record");
  await sql.unsafe(RECORD, [JSON.stringify(rows), workerId], { prepare: true });
  failpoint("retry.after-record");
  observeFailedTries(tries);
}

/** For how long a source was paused in all, a present pause included: from the trigger's columns. */
const PAUSED_SECONDS =
  "(source.paused_seconds + coalesce(greatest(0, extract(epoch from now() - source.paused_at)), 0))::float8";

/** Of the present round, without the time in which its source was paused meanwhile; null before the first failure. */
const ACTIVE_SECONDS = `(extract(epoch from now() - event.round_started_at)::float8
  - greatest(0, ${PAUSED_SECONDS} - coalesce(event.round_paused_seconds, ${PAUSED_SECONDS})))`;

// Only what happens to a row alone in its process counts as its crash; elsewhere, it has to go there first.
const RECORD = `
with row as materialized (
  select * from json_to_recordset($1::text::json) as row (
    id uuid, attempts int, "startedAt" timestamptz, next text, "failureClass" text, "waitsKind" text, "waitsKey" text,
    why text, delay float8)
), failed as (
  select row.*, event.crashes + (row.next = 'crash' and event.lane = ${LANES.ALONE})::int as crashed,
    ${PAUSED_SECONDS} as paused,
    event.round_attempts + 1 >= ${RETRY.roundAttempts}
      or coalesce(${ACTIVE_SECONDS} >= ${RETRY.roundHours} * 3600, false) as over
  from row join inbox_events event on event.id = row.id join sources source on source.id = event.source_id
  where event.status = 'pending' and event.attempts = row.attempts
  order by event.id for update of event
), judged as (
  select failed.*, case
      when next in ('failed', 'waiting') then next
      when crashed >= ${MOST_CRASHES} or over then 'failed'
      else 'pending' end as status,
    case
      when next = 'failed' then "failureClass"
      when next = 'waiting' then null
      when crashed >= ${MOST_CRASHES} then 'poison'
      when over then 'exhausted' end as failure_class
  from failed
), scheduled as (
  update inbox_events event
  set attempts = least(event.attempts, 2147483646) + 1,
    round_attempts = case when judged.status = 'waiting' then 0 else least(event.round_attempts, 2147483646) + 1 end,
    round_started_at = case when judged.status = 'pending' then coalesce(event.round_started_at, now()) end,
    round_paused_seconds = case when event.round_started_at is null then judged.paused else event.round_paused_seconds end,
    last_error = judged.why, why = judged.why, status = judged.status, failure_class = judged.failure_class,
    waits_kind = judged."waitsKind", waits_key = judged."waitsKey",
    lane = case when next = 'crash' then ${LANES.ALONE} else event.lane end,
    crashes = case when judged.status = 'pending' then judged.crashed else 0 end,
    next_attempt_at = case when judged.status = 'pending' then now() + make_interval(secs => judged.delay) end
  from judged where event.id = judged.id
  returning event.id, judged.why, judged."startedAt", judged.next, event.status, event.failure_class
)
insert into inbox_attempts (inbox_event_id, kind, started_at, finished_at, result, why, worker_id)
select id, 'process', "startedAt", clock_timestamp(),
  case status when 'pending' then next when 'failed' then failure_class else status end, why, $2::uuid
from scheduled`;
