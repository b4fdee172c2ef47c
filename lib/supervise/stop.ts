/** What is to be ended, last started first. Each is told how many milliseconds it may take. */
export type Stop = {
  /** Aborted as soon as a stop was asked for. */
  signal: AbortSignal;
  /** Resolves then. */
  requested: Promise<void>;
  onStop(end: (graceMs: number) => Promise<void>): void;
  /** Ends everything. Never throws; what fails is told to `complain`. */
  run(complain: (error: unknown) => void): Promise<void>;
};

/** Ours is to be gone within 10 s (CONTRACT §1). Children may use most of it, but PostgreSQL must still fit. */
const TOTAL_MS = 9_000;
const RESERVED_MS = 2_000;

/** Listens for SIGTERM, SIGINT and a closed terminal; asked twice is asked once. */
export function listenForStop(): Stop {
  const controller = new AbortController();
  const requested = Promise.withResolvers<void>();
  const ends: ((graceMs: number) => Promise<void>)[] = [];
  let since = 0;
  function request(): void {
    since ||= Date.now();
    controller.abort(new Error("stopped"));
    requested.resolve();
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, request);
  return {
    signal: controller.signal,
    requested: requested.promise,
    onStop: (end) => void ends.push(end),
    async run(complain) {
      request();
      for (const end of ends.reverse()) {
        const left = TOTAL_MS - (Date.now() - since);
        await end(Math.max(500, left - RESERVED_MS)).catch(complain);
      }
    },
  };
}
