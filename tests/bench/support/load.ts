import { performance } from "node:perf_hooks";
import { percentile } from "./statistics.ts";

/** What a contender did under load: calls per second, milliseconds, and all calls that went well. */
export type LoadSample = { rate: number; p50: number; p99: number; calls: number };

/** Before anything counts: connections open, code warm, the first batches over. */
const LEAD_MS = 300;

/**
 * Keeps `clients` calls of `work` under way for some seconds. Counted is what ends inside the time. Throws when
 * anything fails: a faulty run has no speed.
 */
export async function keepBusy(
  clients: number,
  seconds: number,
  work: (client: number) => Promise<void>,
): Promise<LoadSample> {
  const from = performance.now() + LEAD_MS;
  const until = from + seconds * 1_000;
  const times: number[] = [];
  let calls = 0;
  async function repeat(client: number): Promise<void> {
    for (;;) {
      const start = performance.now();
      if (start >= until) return;
      await work(client);
      const end = performance.now();
      calls++;
      if (end >= from && end < until) times.push(end - start);
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => repeat(client)));
  return { rate: times.length / seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99), calls };
}
