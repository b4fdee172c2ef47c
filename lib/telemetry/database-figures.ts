import { Gauge, Registry } from "prom-client";
import type { Executor } from "#lib/executor.ts";

/** Rows counted per source and state at the most: a scrape must cost the same on a bad day. */
const COUNT_CAP = 10_000;

type Row = { name: keyof typeof HELP; labels: Record<string, string>; value: number | null };

const HELP = {
  inbox_events: `Unfinished events by source and state, counted to ${COUNT_CAP} at the most.`,
  inbox_oldest_due_seconds:
    "How long the longest due event of a source has been due, bulk replays left aside.",
  inbox_oldest_waiting_seconds: "How long the oldest waiting event of a source has waited since its receipt.",
  source_last_receipt_timestamp_seconds: "When a source was last heard of.",
  outbox_messages: `Unfinished messages by channel and state, counted to ${COUNT_CAP} at the most.`,
  outbox_oldest_due_seconds: "How long the longest due message of a channel has been due.",
  processes_alive: "Processes whose heartbeat is not older than 20 seconds, by role.",
  database_connections: "Open connections of this product, by state.",
};

/** Gauges that the database alone knows, read at the moment of a scrape. */
export async function readDatabaseFigures(sql: Executor): Promise<Registry> {
  const rows = await sql.unsafe<Row[]>(FIGURES, [COUNT_CAP], { prepare: true });
  const registry = new Registry();
  for (const [name, help] of Object.entries(HELP)) {
    const mine = rows.filter((row) => row.name === name && row.value !== null);
    const labelNames = [...new Set(mine.flatMap(({ labels }) => Object.keys(labels)))];
    const gauge = new Gauge({ name: `counterfoil_${name}`, help, labelNames, registers: [registry] });
    for (const { labels, value } of mine) gauge.set(labels, Number(value));
  }
  return registry;
}

// Every part goes through a partial index or stops at the cap: ten million done rows cost nothing here.
const FIGURES = `
select 'inbox_events' as name, json_build_object('source', source.id, 'status', state.status) as labels, (
  select count(*) from (select from inbox_events e where e.source_id = source.id and e.status = state.status limit $1) few
)::float8 as value
from sources source cross join unnest(array['pending', 'waiting']) as state (status)
union all
select 'inbox_events', json_build_object('source', source_id, 'status', status), count(*)
from (select source_id, status from inbox_events where status in ('failed', 'quarantined') limit $1) few
group by source_id, status
union all
select 'inbox_oldest_due_seconds', json_build_object('source', source.id), coalesce(greatest(0, extract(epoch from now() - (
  select min(next_attempt_at) from inbox_events e where e.source_id = source.id and e.status = 'pending' and e.lane = 0))), 0)
from sources source where status = 'active'
union all
select 'inbox_oldest_waiting_seconds', json_build_object('source', source_id), extract(epoch from now() - min(received_at))
from (select source_id, received_at from inbox_events where status = 'waiting' limit $1) few
group by source_id
union all
select 'source_last_receipt_timestamp_seconds', json_build_object('source', source.id), extract(epoch from (
  select max(received_at) from inbox_events e where e.source_id = source.id))
from sources source
union all
select 'outbox_messages', json_build_object('channel', channel, 'status', status), count(*)
from (select channel, status from outbox_messages where status in ('pending', 'sending', 'unknown') limit $1) few
group by channel, status
union all
select 'outbox_oldest_due_seconds', json_build_object('channel', channel), greatest(0, extract(epoch from now() - min(next_attempt_at)))
from (select channel, next_attempt_at from outbox_messages where status = 'pending' limit $1) few
group by channel
union all
select 'processes_alive', json_build_object('role', role), count(*)
from workers where stopped_at is null and seen_at > now() - interval '20 seconds' group by role
union all
select 'database_connections', json_build_object('state', coalesce(state, 'other')), count(*)
from pg_stat_activity where datname = current_database() and application_name like 'counterfoil%' group by state`;
