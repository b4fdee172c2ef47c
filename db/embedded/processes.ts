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
  if (examine(pid, cluster) === "ours") {
    onFound(pid);
    await endProcess(pid, 15_000);
  }
  // Backends outlive a killed postmaster for a moment; as long as they do, its file must stay, because it guards
  // the shared memory. Without any, a stale file could only stop the next start when its pid is in use again.
  const nobodyLeft = listPids().every((other) => examine(other, cluster) === "other");
  if (process.platform === "linux" && nobodyLeft) await rm(join(cluster, "postmaster.pid"), { force: true });
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
  for (const pid of listPids()) if (examine(pid, cluster) === "ours") sendSignal(pid, "SIGKILL");
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

function listPids(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0);
}

/**
 * Whether a process is a postgres of this cluster: they all work in their data directory, and the postmaster has it on
 * its command line. "unknown" is a postgres that may not be looked into: root in a container without CAP_SYS_PTRACE
 * cannot see the directory of an account's process.
 */
function examine(pid: number, cluster: string): "ours" | "other" | "unknown" {
  try {
    if (process.platform !== "linux") {
      const shown = execFileSync("ps", ["-ww", "-p", String(pid), "-o", "command="], { encoding: "utf8" });
      return shown.includes("postgres") && shown.includes(cluster) ? "ours" : "other";
    }
    if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "postgres") return "other";
    if (readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(cluster)) return "ours";
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) ? "ours" : "other";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "unknown" : "other";
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
