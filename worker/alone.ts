import { setTimeout as sleep } from "node:timers/promises";
import { env } from "#lib/env.ts";
import { LANES } from "#lib/inbox/lanes.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { onStop } from "#lib/supervise/on-stop.ts";
import { startWatchdog } from "#lib/supervise/watchdog.ts";
import { startHeartbeat } from "#lib/telemetry/heartbeat.ts";
import { log } from "#lib/telemetry/log.ts";
import { openConnections } from "./connections.ts";

/** Looks in a row at which the database was away; then the next process may try. */
const MOST_OUTAGES = 20;

process.env.COUNTERFOIL_PROCESS = "alone";

/** A worker's child: takes up the rows at which a process died, one at a time, and ends when none is due. */
async function run(workerId: string): Promise<void> {
  startWatchdog(env().WORKER_STUCK_SECONDS);
  const { sql, openBook, end } = await openConnections("counterfoil alone", 2);
  const heartbeat = startHeartbeat(sql, "alone", workerId);
  const book = openBook(workerId);
  const note = book.noteIn(0, true);
  let stopping = false;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const close = async () => {
    await book.close();
    await heartbeat.stop();
    await end();
  };
  onStop(async () => {
    stopping = true;
    await finished;
    await close();
  }, 4_000);

  for (let outages = 0; !stopping && outages < MOST_OUTAGES; ) {
    try {
      const { claimed } = await processBatch(sql, { limit: 1, lane: LANES.ALONE }, workerId, note);
      if (claimed === 0) break;
      outages = 0;
    } catch (error) {
      outages++;
      log().error({ err: error }, "a row could not be processed; it stays pending");
      await sleep(500);
    }
  }
  finish();
  if (stopping) return;
  await close();
  process.exit(0);
}

await run(process.argv[2]!);
