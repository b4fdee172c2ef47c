import type { Sql } from "#db/client.ts";
import type { ProcessEvent } from "./processes.ts";
import { ALIVE_WITHIN } from "./pulse.ts";

export type WorkerRow = {
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  startedAt: string;
  seenAt: string;
  /** `silent`: no heartbeat, and nobody saw it end. */
  state: "alive" | "silent" | "ended";
  /** Rows that it has at work. */
  claimed: number;
};

export type WorkersView = {
  now: string;
  workers: WorkerRow[];
  events: (ProcessEvent & { id: string })[];
  /** Rows at which a process died, waiting to be worked alone. */
  suspects: number;
  /** Rows that were set aside because they killed their process every time. */
  poison: number;
};

/** The processes of the last day, the living first; what became of them; and what they may have died of. */
export async function readWorkers(sql: Sql): Promise<WorkersView> {
  const [workers, events, [counts]] = await Promise.all([
    sql<WorkerRow[]>`
      select w.id, w.role, w.host, w.pid, w.version, w.started_at as "startedAt", w.seen_at as "seenAt",
        case when w.stopped_at is not null then 'ended'
          when w.seen_at > now() - make_interval(secs => ${ALIVE_WITHIN}) then 'alive' else 'silent' end as state,
        (select count(*) from inbox_claims c, unnest(c.event_ids) id
          join inbox_events e using (id) where c.worker_id = w.id and e.status = 'pending')::int as claimed
      from workers w where w.seen_at > now() - interval '1 day'
      order by w.stopped_at is not null, w.seen_at < now() - make_interval(secs => ${ALIVE_WITHIN}), w.role, w.seen_at desc
      limit 100`,
    sql<WorkersView["events"]>`
      select id::text, at, process, host, what, exit_code as "exitCode", signal from process_events
      order by at desc, id desc limit 50`,
    sql<{ now: string; suspects: number; poison: number }[]>`
      select now() as now,
        (select count(*) from (select from sources s cross join lateral (
          select from inbox_events e where e.source_id = s.id and e.status = 'pending' and e.lane = 2 limit 1000
        ) alone limit 1000) found)::int as suspects,
        (select count(*) from (
          select from inbox_events where status = 'failed' and failure_class = 'poison' limit 1000) found)::int as poison`,
  ]);
  return { workers: [...workers], events: [...events], ...counts! };
}

/** "worker died by SIGKILL", "web started again". */
export function describeProcessEvent({ process, what, exitCode, signal }: ProcessEvent): string {
  if (what === "restarted") return `${process} started again`;
  const how = signal ? `by ${signal}` : exitCode === null ? "" : `with status ${exitCode}`;
  return `${process} died ${how}`.trimEnd();
}
