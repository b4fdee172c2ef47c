import { readFile } from "node:fs/promises";
import type postgres from "postgres";

/**
 * Microseconds of processor that a process and the PostgreSQL sessions of one database have used so far. Unlike the
 * clock it hardly knows what else the machine is doing, so it tells two contenders apart where rates are noise.
 * Null where there is no /proc.
 */
export async function readCpu(sql: postgres.Sql, pid: number): Promise<Map<number, number> | null> {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
  const used = new Map<number, number>();
  for (const each of [pid, ...rows.map((row) => row.pid)]) {
    const time = await readProcess(each).catch(() => null); // A session may have ended by now.
    if (time !== null) used.set(each, time);
  }
  return used.has(pid) ? used : null;
}

/** What was used between two readings; sessions that began in between count whole. */
export function cpuBetween(before: Map<number, number> | null, after: Map<number, number> | null): number {
  if (!before || !after) return Number.NaN;
  return [...after].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0);
}

/** utime and stime are in hundredths of a second on every Linux. */
async function readProcess(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}
