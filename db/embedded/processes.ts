import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ends a PostgreSQL that a killed supervisor left behind in this cluster. A pid alone proves nothing (after a
 * restart of a machine or container another process has it), so it must really be a postgres in this directory.
 * The caller holds the lock on the data directory: no living supervisor owns it.
 */
export async function stopOrphan(cluster: string, onFound: (pid: number) => void): Promise<void> {
  const pid = readPostmasterFile(cluster)?.pid;
  if (pid === undefined) return;
  if (isPostgresIn(pid, cluster)) {
    onFound(pid);
    await endProcess(pid, 15_000);
  }
  // Backends outlive a killed postmaster for a moment; as long as they do, its file must stay, because it guards
  // the shared memory. Without any, a stale file could only stop the next start when its pid is in use again.
  if (process.platform === "linux" && listProcessesIn(cluster).length === 0) {
    await rm(join(cluster, "postmaster.pid"), { force: true });
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT the immediate one (it recovers at the next start). */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  for (const [signal, milliseconds] of [
    ["SIGINT", graceMs],
    ["SIGQUIT", 1_000],
    ["SIGKILL", 1_000],
  ] as const) {
    if (!sendSignal(pid, signal)) return;
    const until = Date.now() + milliseconds;
    while (Date.now() < until) {
      if (!isAlive(pid)) return;
      await sleep(20);
    }
  }
}

/** Backends that a dead postmaster left and that do not notice, for example inside a long computation. */
export function killStragglers(cluster: string): void {
  for (const pid of listProcessesIn(cluster)) sendSignal(pid, "SIGKILL");
}

/** pid and state ("starting", "ready", "stopping") as the postmaster writes them; null without a file. */
export function readPostmasterFile(cluster: string): { pid: number; status: string } | null {
  try {
    const lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? "" } : null;
  } catch {
    return null;
  }
}

/** PostgreSQL's processes all work in their data directory. */
function listProcessesIn(cluster: string): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isPostgresIn(pid, cluster));
}

function isPostgresIn(pid: number, cluster: string): boolean {
  try {
    if (process.platform === "linux") {
      const command = readFileSync(`/proc/${pid}/comm`, "utf8").trim();
      return command === "postgres" && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    }
    const shown = execFileSync("ps", ["-ww", "-p", String(pid), "-o", "command="], { encoding: "utf8" });
    return shown.includes("postgres") && shown.includes(cluster);
  } catch {
    return false;
  }
}

/** A zombie counts as dead: some containers have nobody who reaps it. */
function isAlive(pid: number): boolean {
  if (!sendSignal(pid, 0)) return false;
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
