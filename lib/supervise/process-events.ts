import { hostname } from "node:os";
import { connect } from "#db/client.ts";
import type { Exit } from "#db/embedded.ts";
import { log } from "#lib/telemetry/log.ts";

export type ProcessName = "database" | "web" | "worker";
export type ProcessEvents = {
  died(process: ProcessName, exit: Exit, pid: number): void;
  restarted(process: ProcessName, pid: number): void;
  close(): Promise<void>;
};

const KEPT = 1_000;

/** Deaths and restarts: into the log at once, into table process_events as soon as the database takes them. */
export function openProcessEvents(url: string): ProcessEvents {
  const sql = connect({
    url,
    max: 1,
    name: "counterfoil supervisor",
    idleTimeout: 5_000,
    statementTimeout: 2_000,
  });
  const waiting: Record<string, unknown>[] = [];
  /** Their rows in table workers say that they live until their last heartbeat is old; we know better. */
  const dead: number[] = [];
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const rows = waiting.slice();
      await sql`insert into process_events ${sql(rows)}`;
      waiting.splice(0, rows.length);
      const pids = dead.slice();
      await sql`
        update workers set stopped_at = now() where stopped_at is null and host = ${hostname()} and pid = any(${pids}::int[])`;
      dead.splice(0, pids.length);
    }
  }
  function flush(): Promise<void> {
    writing ??= write()
      .catch(() => {}) // The database may be what died; the timer tries again.
      .finally(() => {
        writing = null;
      });
    return writing;
  }
  const timer = setInterval(() => waiting.length > 0 && flush(), 1_000);

  function add(process: ProcessName, what: "died" | "restarted", exit: Exit): void {
    const row = {
      at: new Date(),
      process,
      host: hostname(),
      what,
      exit_code: exit.code,
      signal: exit.signal,
    };
    if (waiting.length < KEPT) waiting.push(row);
    void flush();
  }
  return {
    died(process, exit, pid) {
      if (process !== "database") dead.push(pid);
      log().error({ ...exit, child: process }, `${process} died`);
      add(process, "died", exit);
    },
    restarted(process, pid) {
      log().warn({ child: process, childPid: pid }, `${process} was started again`);
      add(process, "restarted", { code: null, signal: null });
    },
    async close() {
      clearInterval(timer);
      if (waiting.length > 0) await flush();
      await sql.end({ timeout: 1 });
    },
  };
}
