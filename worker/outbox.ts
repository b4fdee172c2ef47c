import { abandonOverdue } from "#lib/outbox/abandon.ts";
import { type Dispatching, missingChannels, takeDue } from "#lib/outbox/dispatch.ts";
import { expireLeases } from "#lib/outbox/expire.ts";
import { holdMissing } from "#lib/outbox/hold.ts";
import { type Result, writeResults } from "#lib/outbox/write-results.ts";
import { log } from "#lib/telemetry/log.ts";

export type OutboxLoop = {
  /** Something may be due: look now. */
  wake(): void;
  /** No new claims; running calls get `graceMs`, then they are cut; resolves when all is settled or given back. */
  stop(): Promise<void>;
};

export type OutboxLoopOptions = Dispatching & {
  /** Calls in flight at the most, over all destinations. */
  slots: number;
  pollInterval: number;
  graceMs: number;
  /** Absolute URL of a message's page. */
  link: (message: string) => string;
  onSettled?: (results: readonly Result[]) => void;
};

/** Milliseconds between two looks for expired leases and windows that are over. */
const TIDY_INTERVAL = 2_000;
const HOLD_INTERVAL = 60_000;

/**
 * Claims, calls and settles until stopped. Two loops: one takes as many messages as there are free slots, the other
 * writes down whatever has finished meanwhile, as one set. While one waits for its commit the other goes on.
 */
export function startOutboxLoop(options: OutboxLoopOptions): OutboxLoop {
  const { sql, clock, workerId, slots, pollInterval, graceMs, link } = options;
  const cut = new AbortController();
  let stopping = false;
  let inFlight = 0;
  let finished: Result[] = [];
  const taking = createBell();
  const settling = createBell();

  async function take(): Promise<boolean> {
    const free = slots - inFlight;
    if (free <= 0) return false;
    const { claimed, settled, calls } = await takeDue(options, free);
    finish(settled);
    for (const call of calls) {
      inFlight++;
      // Taken while the stop was asked for: given back before anything leaves.
      void call(stopping ? AbortSignal.abort() : cut.signal)
        .then((result) => finish(result ? [result] : []))
        .catch((error) => log().error({ err: error }, "a message was left to its lease"))
        .finally(() => {
          inFlight--;
          taking.ring();
          settling.ring();
        });
    }
    return claimed > 0;
  }

  function finish(results: readonly Result[]): void {
    finished.push(...results);
    if (results.length > 0) settling.ring();
  }

  async function settle(): Promise<void> {
    const batch = finished.splice(0, 500);
    try {
      await writeResults(sql, clock, batch, workerId);
      options.onSettled?.(batch);
    } catch (error) {
      // Kept and written again: their leases are still ours, or the history will say that they came late.
      finished = [...batch, ...finished];
      log().error({ err: error }, "results could not be written; they are written again");
      await settling.wait(pollInterval);
    }
  }

  async function takeLoop(): Promise<void> {
    while (!stopping) {
      taking.reset();
      const took = await take().catch(async (error) => {
        log().error({ err: error }, "nothing could be claimed");
        return false;
      });
      if (!took && !stopping) await taking.wait(pollInterval);
    }
  }

  async function settleLoop(): Promise<void> {
    while (!stopping || inFlight > 0 || finished.length > 0) {
      settling.reset();
      if (finished.length > 0) await settle();
      else await settling.wait(pollInterval);
    }
  }

  const tidying = every(TIDY_INTERVAL, "leases and windows", async () => {
    const lifetimes = Object.fromEntries(options.channels.map((one) => [one.name, one.keyLifetimeSeconds]));
    const expired = await expireLeases(sql, clock, lifetimes);
    if (expired.pending + expired.unknown + expired.parked > 0) log().warn({ ...expired }, "leases ran out");
    await abandonOverdue(sql, clock, link);
  });
  const holding = every(HOLD_INTERVAL, "channels that are not set up", () =>
    holdMissing(sql, clock, missingChannels(options)),
  );
  const loops = [takeLoop(), settleLoop()];
  return {
    wake: taking.ring,
    async stop() {
      stopping = true;
      taking.ring();
      settling.ring();
      const grace = setTimeout(() => cut.abort(new Error("the worker stops")), graceMs);
      await Promise.all([...loops, tidying.stop(), holding.stop()]);
      clearTimeout(grace);
    },
  };
}

/** One sleeper at a time; a ring that comes while nobody sleeps is not lost until reset(). */
function createBell() {
  let rung = false;
  let wake = () => {};
  return {
    ring() {
      rung = true;
      wake();
    },
    reset() {
      rung = false;
    },
    wait(milliseconds: number): Promise<void> {
      if (rung) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}

function every(milliseconds: number, what: string, work: () => Promise<unknown>) {
  let running: Promise<unknown> | null = null;
  const tick = () => {
    running ??= work()
      .catch((error) => log().error({ err: error, task: what }, "a task of the outbox failed"))
      .finally(() => {
        running = null;
      });
  };
  tick();
  const timer = setInterval(tick, milliseconds);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
