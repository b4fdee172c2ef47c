import { Worker } from "node:worker_threads";

const BEAT_MS = 250;

/**
 * Ends this process with SIGKILL when its event loop stands still for `seconds`, from a thread of its own: an endless
 * loop hears no signal handler. Whoever supervises the process starts it again.
 */
export function startWatchdog(seconds: number): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  const thread = new Worker(new URL("./watchdog-thread.ts", import.meta.url), {
    workerData: { beats, seconds },
    // Its own loaders and hooks would only make it slow to start.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  });
  thread.unref();
}
