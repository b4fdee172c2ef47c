import type { Executor } from "#lib/executor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

export type WorkerItem = {
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  startedAt: string;
  seenAt: string;
  stoppedAt: string | null;
  /** Seen a moment ago and not stopped. */
  alive: boolean;
};

export type ProcessEvent = {
  at: string;
  process: string;
  host: string;
  what: "died" | "restarted";
  exitCode: number | null;
  signal: string | null;
};

/** Seconds without a heartbeat after which a process counts as gone. */
const SILENCE = 30;

/** The processes of the last day, those alive first, and the newest deaths and restarts. */
export async function listWorkers(
  sql: Executor,
): Promise<{ processes: WorkerItem[]; restarts: ProcessEvent[] }> {
  const processes = await sql<WorkerItem[]>`
    select id, role, host, pid, version, started_at as "startedAt", seen_at as "seenAt", stopped_at as "stoppedAt",
      stopped_at is null and seen_at > now() - make_interval(secs => ${SILENCE}) as alive
    from workers where seen_at > now() - interval '1 day' order by alive desc, seen_at desc limit 200`;
  const restarts = await sql<ProcessEvent[]>`
    select at, process, host, what, exit_code as "exitCode", signal from process_events order by at desc, id desc limit 100`;
  return {
    processes: processes.map((row) => ({
      ...row,
      startedAt: toIsoTime(row.startedAt),
      seenAt: toIsoTime(row.seenAt),
      stoppedAt: toIsoTimeOrNull(row.stoppedAt),
    })),
    restarts: restarts.map((row) => ({ ...row, at: toIsoTime(row.at) })),
  };
}
