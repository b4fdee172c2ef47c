import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Sql } from "#db/client.ts";
import { readVersion } from "#db/migrate.ts";
import { log } from "./log.ts";

export type Heartbeat = {
  /** This process's row in table workers. */
  id: string;
  /** Marks an orderly stop; waits a second at the most. */
  stop(): Promise<void>;
};

const BEAT_MS = 5_000;
const KEPT_DAYS = 30;

/** Says every five seconds that this process lives. A database that does not answer is waited for, quietly. */
export function startHeartbeat(
  sql: Sql,
  role: "web" | "worker" | "alone",
  id: string = randomUUID(),
): Heartbeat {
  const version = readVersion();
  let silent = false;
  let beating = false;

  async function beat(): Promise<void> {
    if (beating) return;
    beating = true;
    try {
      await sql`
        insert into workers (id, role, host, pid, version)
        values (${id}, ${role}, ${hostname()}, ${process.pid}, ${version})
        on conflict (id) do update set seen_at = now()`;
      silent = false;
    } catch (error) {
      if (!silent) log().warn({ err: error }, "the heartbeat cannot be written");
      silent = true;
    } finally {
      beating = false;
    }
  }
  void beat();
  const timer = setInterval(() => void beat(), BEAT_MS);
  // Bounds the table: each start adds a row.
  sql`delete from workers where seen_at < now() - make_interval(days => ${KEPT_DAYS})`.catch(() => {});

  return {
    id,
    async stop() {
      clearInterval(timer);
      const late = new Promise((resolve) => setTimeout(resolve, 1_000).unref());
      const mark = sql`update workers set seen_at = now(), stopped_at = now() where id = ${id}`.catch(
        () => {},
      );
      await Promise.race([mark, late]);
    },
  };
}
