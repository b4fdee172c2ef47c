import { setTimeout as sleep } from "node:timers/promises";
import type { Exit } from "#db/embedded.ts";
import type { Running } from "./child.ts";

export type Member = {
  /** Ends it for good. */
  stop(graceMs: number): Promise<void>;
  /** Ends it so that it comes back at once; for changed sources. */
  restart(): void;
};

export type MemberOptions = {
  start(): Promise<Running>;
  onDied(exit: Exit, pid: number): void;
  onRestarted(pid: number): void;
  /** A restart that did not even begin; tried again. */
  onFailed(error: unknown): void;
  timing?: { firstMs: number; maxMs: number; settledMs: number };
};

/** 0.25 s, doubling to 30 s; after a minute of life the next death counts as the first again. */
const TIMING = { firstMs: 250, maxMs: 30_000, settledMs: 60_000 };

/** Starts something and starts it again whenever it dies, until stop(). Throws when the first start fails. */
export async function keepRunning(options: MemberOptions): Promise<Member> {
  const { firstMs, maxMs, settledMs } = options.timing ?? TIMING;
  const stopping = new AbortController();
  let running = await options.start();
  let wanted = false;

  async function watch(): Promise<void> {
    let wait = firstMs;
    for (;;) {
      const since = Date.now();
      const exit = await running.exited;
      if (stopping.signal.aborted) return;
      const asked = wanted;
      wanted = false;
      if (!asked) options.onDied(exit, running.pid);
      if (asked || Date.now() - since >= settledMs) wait = firstMs;
      for (let again: Running | null = null; !again; ) {
        await sleep(wait, undefined, { signal: stopping.signal });
        wait = Math.min(wait * 2, maxMs);
        again = await options.start().catch((error) => {
          if (!stopping.signal.aborted) options.onFailed(error);
          return null;
        });
        if (again) running = again;
      }
      if (!asked) options.onRestarted(running.pid);
    }
  }

  const watching = watch().catch((error) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    async stop(graceMs) {
      stopping.abort();
      await running.stop(graceMs);
      await watching;
      // A start that was under way when we were told to stop.
      await running.stop(graceMs);
    },
    restart() {
      wanted = true;
      void running.stop(5_000);
    },
  };
}
