/** A sender's time. It stands still until it is advanced, or follows the real time. Milliseconds since the epoch. */
export type SimClock = {
  now(): number;
  /** Runs `work` at `at`; work that is due already runs with the next advance. Returns how to call it off. */
  schedule(at: number, work: () => Promise<void> | void): () => void;
  /** Moves time on by `ms`, running what falls due on the way, in order and one after the other. */
  advance(ms: number): Promise<void>;
  /** Runs what is due now. */
  settle(): Promise<void>;
  /** Follows the real time, looking four times a second, until the returned function is called. */
  follow(): () => void;
};

type Entry = { at: number; order: number; work: () => Promise<void> | void };

export function createClock(start = Date.now()): SimClock {
  let now = start;
  let order = 0;
  let entries: Entry[] = [];
  let running: Promise<void> = Promise.resolve();

  async function runUntil(end: number): Promise<void> {
    for (;;) {
      const [next] = entries.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.order - b.order);
      if (!next) break;
      entries = entries.filter((entry) => entry !== next);
      now = Math.max(now, next.at);
      await next.work();
    }
    now = Math.max(now, end);
  }

  /** One advance after the other: two at once would run what is due in each other's time. */
  function enqueue(end: () => number): Promise<void> {
    running = running.then(() => runUntil(end()));
    return running;
  }

  const clock: SimClock = {
    now: () => now,
    schedule(at, work) {
      const entry = { at, order: order++, work };
      entries.push(entry);
      return () => {
        entries = entries.filter((other) => other !== entry);
      };
    },
    advance: (ms) => enqueue(() => now + ms),
    settle: () => enqueue(() => now),
    follow() {
      let busy = false;
      const timer = setInterval(() => {
        if (busy) return;
        busy = true;
        void enqueue(() => Math.max(now, Date.now())).finally(() => {
          busy = false;
        });
      }, 250);
      return () => clearInterval(timer);
    },
  };
  return clock;
}
