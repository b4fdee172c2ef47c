import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Exit } from "#db/embedded.ts";

/** Something that runs and can be stopped: a child of ours, or the embedded PostgreSQL. */
export type Running = { pid: number; exited: Promise<Exit>; stop(graceMs: number): Promise<void> };

/** What a child tells over IPC. `failed` means that starting it again cannot help. */
export type ChildMessage = { type: "listening" } | { type: "failed"; message: string };

export type ChildOptions = {
  /** TypeScript file to run. */
  file: string;
  args?: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  onMessage?: (message: ChildMessage) => void;
};

/**
 * Starts a process of ours. Its own process group keeps a Ctrl-C in the terminal away from it, so that one place
 * decides the order of the stop; the IPC channel tells it when we are gone (lib/supervise/on-stop.ts).
 */
export function startChild(options: ChildOptions): Promise<Running> {
  const child = spawn(process.execPath, [options.file, ...(options.args ?? [])], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  if (options.onMessage) child.on("message", options.onMessage);
  return new Promise((started, failed) => {
    child.once("error", failed);
    child.once("spawn", () => {
      const pid = child.pid!;
      const exited = new Promise<Exit>((done) => {
        child.once("exit", (code, signal) => {
          // What it may have started itself must not outlive it.
          signalGroup(pid, "SIGKILL");
          done({ code, signal });
        });
      });
      const stop = async (graceMs: number) => {
        child.kill("SIGTERM");
        const waiting = new AbortController();
        const late = sleep(graceMs, "late", { signal: waiting.signal }).catch(() => {});
        if ((await Promise.race([exited, late])) === "late") signalGroup(pid, "SIGKILL");
        waiting.abort();
        await exited;
      };
      started({ pid, exited, stop });
    });
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
