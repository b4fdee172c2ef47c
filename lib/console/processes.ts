import type { Sql } from "#db/client.ts";
import { coalesce } from "./coalesce.ts";
import { ALIVE_WITHIN } from "./pulse.ts";

export type ProcessRow = {
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  startedAt: string;
  seenAt: string;
};

export type ProcessEvent = {
  at: string;
  process: string;
  host: string;
  what: "died" | "restarted";
  exitCode: number | null;
  signal: string | null;
};

export type Processes = { alive: ProcessRow[]; restarts: number; latest: ProcessEvent[] };

/** Processes whose heartbeat is fresh, and what the supervisor had to do in the last day. */
export async function readProcesses(sql: Sql): Promise<Processes> {
  const [alive, events, [counted]] = await Promise.all([
    sql<ProcessRow[]>`
      select id, role, host, pid, version, started_at as "startedAt", seen_at as "seenAt" from workers
      where stopped_at is null and seen_at > now() - make_interval(secs => ${ALIVE_WITHIN})
      order by role, started_at limit 50`,
    sql<ProcessEvent[]>`
      select at, process, host, what, exit_code as "exitCode", signal from process_events
      where at > now() - interval '1 day' order by at desc limit 4`,
    sql<{ restarts: number }[]>`
      select count(*)::int as restarts from process_events where what = 'restarted' and at > now() - interval '1 day'`,
  ]);
  return { alive: [...alive], restarts: counted!.restarts, latest: [...events] };
}

export const sharedProcesses = coalesce(readProcesses, 2_000);
