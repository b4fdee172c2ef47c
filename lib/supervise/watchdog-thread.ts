import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";

const { beats, seconds } = workerData as { beats: Int32Array; seconds: number };
let last = -1;
let silent = 0;

// Looks are counted, not time: of a process that was stopped for an hour and goes on, both threads missed the hour.
setInterval(() => {
  const now = Atomics.load(beats, 0);
  silent = now === last ? silent + 1 : 0;
  last = now;
  if (silent < seconds) return;
  const message = `the event loop stood still for ${seconds} s: ending the process`;
  writeSync(2, `${JSON.stringify({ level: 60, pid: process.pid, msg: message })}\n`);
  process.kill(process.pid, "SIGKILL");
}, 1_000);
