import type { Sql } from "#db/client.ts";
import type { ClaimBook } from "#lib/inbox/claims.ts";
import { LANES } from "#lib/inbox/lanes.ts";
import { type LaneLoop, type LaneOptions, startLane } from "./lane.ts";

export type InboxLoop = LaneLoop;

export type InboxLoopOptions = Pick<LaneOptions, "concurrency" | "batchSize" | "pollInterval" | "onBatch"> & {
  sql: Sql;
  workerId: string;
  /** Where claimed rows are noted. Without it, rows that kill the process are not found. */
  book?: ClaimBook;
};

/** The share of bulk operations: one transaction of few rows, so that a live event waits for no more than that. */
const BULK = { concurrency: 1, batchSize: 50 };

/** Works the live lane and, with its small share, the bulk lane. Uses concurrency + 1 connections. */
export function startInboxLoop({ book, ...options }: InboxLoopOptions): InboxLoop {
  const lanes = [
    startLane({ ...options, lane: LANES.LIVE, noteIn: book && ((slot) => book.noteIn(slot, false)) }),
    startLane({
      ...options,
      ...BULK,
      lane: LANES.BULK,
      noteIn: book && ((slot) => book.noteIn(options.concurrency + slot, false)),
    }),
  ];
  return {
    wake() {
      for (const lane of lanes) lane.wake();
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}
