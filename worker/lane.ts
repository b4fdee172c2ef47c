import type { Sql } from "#db/client.ts";
import type { NoteRows } from "#lib/inbox/claims.ts";
import type { Lane } from "#lib/inbox/lanes.ts";
import { type BatchReport, processBatch } from "#lib/inbox/process-batch.ts";
import { log } from "#lib/telemetry/log.ts";

export type LaneLoop = {
  /** Something may be due: look now. */
  wake(): void;
  /** No new claims; resolves when running transactions have finished. */
  stop(): Promise<void>;
};

export type LaneOptions = {
  sql: Sql;
  workerId: string;
  lane: Lane;
  /** Transactions in flight at the most. */
  concurrency: number;
  /** Rows per transaction. */
  batchSize: number;
  /** Milliseconds between two looks when nothing wakes it: what a lost hint costs. */
  pollInterval: number;
  /** Where transaction number 0, 1, … of this lane notes its rows. */
  noteIn?: (slot: number) => NoteRows;
  onBatch?: (report: BatchReport) => void;
};

/**
 * Claims and processes the rows of one lane until stopped. One loop looks for work; each full batch says that there is
 * more than one can do and opens another, up to the limit, which closes again when it finds a batch that is not full.
 */
export function startLane(options: LaneOptions): LaneLoop {
  const { sql, workerId, lane, concurrency, batchSize, pollInterval } = options;
  let stopping = false;
  let woken = false;
  let wakeSleeper = () => {};
  const helpers = new Map<number, Promise<void>>();

  async function claim(note: NoteRows | undefined): Promise<boolean> {
    try {
      const report = await processBatch(sql, { limit: batchSize, lane }, workerId, note);
      if (report.claimed > 0) log().debug({ lane, ...report }, "batch");
      options.onBatch?.(report);
      return report.full;
    } catch (error) {
      log().error({ err: error }, "a batch could not be processed; its rows stay pending");
      await sleep(pollInterval);
      return false;
    }
  }

  async function help(slot: number): Promise<void> {
    const note = options.noteIn?.(slot);
    while (!stopping && (await claim(note))) openHelper();
  }

  function openHelper(): void {
    if (stopping || helpers.size >= concurrency - 1) return;
    let slot = 1;
    while (helpers.has(slot)) slot++;
    helpers.set(
      slot,
      help(slot).finally(() => helpers.delete(slot)),
    );
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
    const note = options.noteIn?.(0);
    while (!stopping) {
      woken = false;
      if (await claim(note)) openHelper();
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
      await Promise.all(helpers.values());
    },
  };
}
