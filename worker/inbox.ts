import type { Sql } from "#db/client.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { log } from "#lib/telemetry/log.ts";

export type InboxLoop = {
  /** Something may be due: look now. */
  wake(): void;
  /** No new claims; resolves when running transactions have finished. */
  stop(): Promise<void>;
};

export type InboxLoopOptions = {
  sql: Sql;
  workerId: string;
  /** Transactions in flight at the most. */
  concurrency: number;
  /** Rows per transaction. */
  batchSize: number;
  /** Milliseconds between two looks when nothing wakes it: what a lost hint costs. */
  pollInterval: number;
};

/**
 * Claims and processes until stopped. One lane looks for work; each full batch says there is more than one lane
 * can do and opens another, up to the limit, which closes again when it finds a batch that is not full.
 */
export function startInboxLoop({
  sql,
  workerId,
  concurrency,
  batchSize,
  pollInterval,
}: InboxLoopOptions): InboxLoop {
  let stopping = false;
  let woken = false;
  let wakeSleeper = () => {};
  const helpers = new Set<Promise<void>>();

  async function claim(): Promise<boolean> {
    try {
      const report = await processBatch(sql, { limit: batchSize }, workerId);
      if (report.claimed > 0) log().debug({ ...report }, "batch");
      return report.claimed === batchSize;
    } catch (error) {
      log().error({ err: error }, "a batch could not be processed; its rows stay pending");
      await sleep(pollInterval);
      return false;
    }
  }

  async function help(): Promise<void> {
    while (!stopping && (await claim())) openHelper();
  }

  function openHelper(): void {
    if (stopping || helpers.size >= concurrency - 1) return;
    const helper = help();
    helpers.add(helper);
    void helper.finally(() => helpers.delete(helper));
  }

  function sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wakeSleeper = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stopping) wakeSleeper();
    });
  }

  async function look(): Promise<void> {
    while (!stopping) {
      woken = false;
      if (await claim()) openHelper();
      else if (!woken && !stopping) await sleep(pollInterval);
    }
  }

  const looking = look();
  return {
    wake() {
      woken = true;
      wakeSleeper();
    },
    async stop() {
      stopping = true;
      wakeSleeper();
      await looking;
      await Promise.all(helpers);
    },
  };
}
