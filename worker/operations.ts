import type { Sql } from "#db/client.ts";
import { runOperations } from "#lib/operations/run-operations.ts";
import { log } from "#lib/telemetry/log.ts";

/** Two transactions at a time, so that a bulk action leaves the others to what senders deliver. */
const LANES = 2;
/** Milliseconds between two looks when nothing is due, or all that is due is held by somebody. */
const POLL_INTERVAL = 500;

/** Takes up bulk operations and goes on with those that another worker left, until stopped. */
export function startOperationsLoop(sql: Sql): { stop(): Promise<void> } {
  let stopping = false;
  const sleepers = new Set<() => void>();

  async function lane(): Promise<void> {
    while (!stopping) {
      const settled = await runOperations(sql, () => stopping).catch((error) => {
        log().error({ err: error }, "bulk operations could not go on; they are taken up again");
        return 0;
      });
      if (settled === 0) await sleep();
    }
  }

  function sleep(): Promise<void> {
    if (stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, POLL_INTERVAL);
      sleepers.add(wake);
    });
  }

  const lanes = Array.from({ length: LANES }, lane);
  return {
    async stop() {
      stopping = true;
      for (const wake of sleepers) wake();
      await Promise.all(lanes);
    },
  };
}
