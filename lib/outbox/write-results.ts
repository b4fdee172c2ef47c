import type { Sql } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { OutboxStatus } from "#db/states.ts";
import type { Evidence } from "#lib/channels/types.ts";
import { failpoint } from "#lib/failpoint.ts";
import { BREAKING_FAILURES, probeDelay } from "./backoff.ts";
import { type Clock, TX_NOW } from "./clock.ts";
import type { LeasedMessage } from "./message.ts";
import type { Ruling } from "./rule.ts";

/** A finished attempt, ready to be written. */
export type Result = {
  message: LeasedMessage;
  /** `call`, or `check` where only the destination's records were asked. */
  kind: "call" | "check";
  ruling: Ruling;
  /** When its call began, on the database's clock; null where none was made. */
  startedAt: string | null;
  evidence: Evidence | null;
  /** What else a person may want to see. */
  more?: Record<string, string | number | boolean | null>;
};

/** Where each message is now; one whose token no longer matches is missing, and its attempt is kept as `late`. */
export type Written = Map<string, OutboxStatus>;

/**
 * Settles a set of attempts in one statement: only where the token still matches. An answer that comes after the lease
 * is over still settles a message that waits for exactly this answer; any other is kept in the history alone.
 * Destinations learn in the same statement whether they are up.
 */
export async function writeResults(
  sql: Sql,
  clock: Clock,
  results: readonly Result[],
  workerId: string,
): Promise<Written> {
  if (results.length === 0) return new Map();
  failpoint("send.before-settle");
  const rows = await repeatOnConflict(() =>
    sql.unsafe<{ id: string; status: OutboxStatus }[]>(
      WRITE,
      [clock.offsetSeconds, JSON.stringify(results.map(toRow)), workerId, BREAKING_FAILURES],
      { prepare: true },
    ),
  );
  failpoint("send.after-settle");
  return new Map(rows.map(({ id, status }) => [id, status]));
}

function toRow({ message, kind, ruling, startedAt, evidence, more }: Result) {
  return {
    id: message.id,
    token: message.token,
    kind,
    ...ruling,
    probe: message.probe,
    // A message that fails again says nothing new about its destination.
    fresh: message.attempts === 0,
    probeDelays: [1, 2, 3, 4, 5, 6, 7, 8].map((probes) =>
      Math.max(probeDelay(probes, Math.random()), ruling.asked),
    ),
    startedAt,
    ms: evidence?.latencyMs ?? 0,
    code: evidence?.status ?? null,
    body: evidence?.responseBody ?? null,
    evidence: { ...(evidence && { bytesLeft: evidence.bytesLeft }), ...more },
  };
}

const WRITE = `
with row as materialized (
  select * from json_to_recordset($2::text::json) as row (
    id uuid, token uuid, kind text, result text, next text, why text, delay float8, counts boolean,
    ambiguous boolean, "keySeconds" float8, lane text, probe boolean, fresh boolean, "probeDelays" json,
    "startedAt" timestamptz, ms float8, code int, body text, evidence jsonb)
), held as materialized (
  select message.id, message.destination_id, message.status as was
  from row join outbox_messages message on message.id = row.id and message.lease_token = row.token
  where message.status = 'sending' or (message.status = 'unknown' and row.result = 'accepted')
  order by message.id for update of message
), settled as (
  update outbox_messages message
  set status = case when row.next = 'pending' and message.first_call_at
          + make_interval(secs => row."keySeconds") <= ${TX_NOW} + make_interval(secs => row.delay)
        then 'unknown' else row.next end,
    next_attempt_at = case when row.next = 'pending' and (row."keySeconds" is null or message.first_call_at
          + make_interval(secs => row."keySeconds") > ${TX_NOW} + make_interval(secs => row.delay))
        then least(${TX_NOW} + make_interval(secs => row.delay), greatest(message.deadline_at, ${TX_NOW})) end,
    finished_at = case when row.next in ('sent', 'rejected') then ${TX_NOW} end,
    attempts = message.attempts + row.counts::int, crashes = 0, version = message.version + 1,
    forced = false, ambiguous = row.ambiguous and row.next <> 'sent',
    last_error = case when row.next = 'sent' then null else row.why end,
    lease_token = case when row.next = 'unknown' then message.lease_token end,
    lease_until = null, leased_by = null, call_started_at = null
  from row join held on held.id = row.id
  where message.id = held.id
  returning message.id, message.status
), tried as (
  insert into outbox_attempts (message_id, kind, result, why, lease_token, worker_id, started_at, finished_at,
    status_code, response_body, evidence)
  select row.id, case when held.id is null or held.was = 'unknown' then 'late' else row.kind end, row.result, row.why,
    row.token, $3::uuid, coalesce(row."startedAt", ${TX_NOW}),
    coalesce(row."startedAt", ${TX_NOW}) + make_interval(secs => row.ms / 1000), row.code, row.body, row.evidence
  from row left join held on held.id = row.id
), told as (
  select held.destination_id as id, bool_or(lane = 'up') as up, bool_or(lane = 'down') as down,
    bool_or(lane = 'gone') as gone, bool_or(probe) as probe, count(*) filter (where lane = 'fails' and fresh) as failures,
    (array_agg(why order by ms desc) filter (where lane in ('down', 'gone', 'fails')))[1] as why,
    (array_agg("probeDelays"))[1] as delays
  from row join held on held.id = row.id group by 1
), known as materialized (
  select destination.id from destinations destination join told on told.id = destination.id
  where not told.up or told.gone or destination.failures > 0 or destination.broken_since is not null
  order by destination.id for no key update of destination
), learned as (
  update destinations destination
  set status = case when told.gone then 'disabled' else destination.status end,
    status_reason = case when told.gone then told.why else destination.status_reason end,
    failures = case when told.up then 0 else destination.failures + told.failures end,
    broken_since = case when not breaks.now then null else coalesce(destination.broken_since, ${TX_NOW}) end,
    broken_why = case when not breaks.now then null
      else coalesce(case when told.probe or destination.broken_since is null then told.why end, destination.broken_why) end,
    probes = case when not breaks.now then 0 when breaks.again then destination.probes + 1 else destination.probes end,
    probe_at = case when not breaks.now then null when breaks.again
      then ${TX_NOW} + make_interval(secs => (told.delays ->> least(destination.probes, 7))::float8) else destination.probe_at end
  from told join known on known.id = told.id
  cross join lateral (
    select not told.up and (told.down or old.broken_since is not null or old.failures + told.failures >= $4::int) as now,
      old.broken_since is null or told.probe as again
    from destinations old where old.id = told.id
  ) breaks
  where destination.id = told.id and (not told.gone or destination.status <> 'disabled')
)
select id, status, ${DURABLE} from settled`;
