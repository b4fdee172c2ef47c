import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";

/**
 * This process's figures, under Prometheus' conventions: base units (seconds, bytes), counters end in _total. Labels
 * are bounded: configured sources, closed sets of states and reasons; never an event, a customer or free text.
 */
export type Metrics = ReturnType<typeof createMetrics>;

const QUICK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From a receipt to its effect: a row may wait for a link for days. */
const LONG_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600, 21_600, 86_400];
const ROWS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

function createMetrics() {
  const registers = [new Registry()];
  collectDefaultMetrics({ register: registers[0]! });
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter<Label>({ name: `counterfoil_${name}`, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) => new Histogram<Label>({ name: `counterfoil_${name}`, help, buckets, labelNames, registers });
  return {
    registry: registers[0]!,
    receipts: counter("receipts_total", "Authentic requests that were answered with 200, by result.", [
      "source",
      "result",
    ]),
    rejections: counter("rejections_total", "Requests that were turned away, by reason.", [
      "source",
      "reason",
    ]),
    unavailable: counter("receive_unavailable_total", "Requests that were answered with 503.", []),
    receiveSeconds: histogram(
      "receive_duration_seconds",
      "From the head of a request to its answer.",
      QUICK_SECONDS,
    ),
    storeRows: histogram("store_batch_rows", "Receipts that shared one commit.", ROWS),
    storeSeconds: histogram("store_commit_seconds", "One batch of receipts, commit included.", QUICK_SECONDS),
    applyRows: histogram("apply_batch_rows", "Events that were settled in one transaction.", ROWS),
    applySeconds: histogram(
      "apply_batch_seconds",
      "One batch of the worker, commit included.",
      QUICK_SECONDS,
    ),
    settled: counter("events_settled_total", "Events that left pending, by the state they went to.", [
      "source",
      "status",
      "outcome",
    ]),
    failedAttempts: counter("event_attempts_failed_total", "Attempts that ended in an error.", ["source"]),
    receiptToDone: histogram(
      "receipt_to_done_seconds",
      "From the receipt of an event to its effect.",
      LONG_SECONDS,
      ["source"],
    ),
    sends: counter("sends_total", "Attempts to send a message, by what came of it.", ["channel", "outcome"]),
    sendSeconds: histogram("send_duration_seconds", "One attempt to send.", QUICK_SECONDS, ["channel"]),
  };
}

// On globalThis: Next bundles its own copy of this module, and a process has one set of figures.
const holder = globalThis as typeof globalThis & { counterfoilMetrics?: Metrics };

/** This process's metrics. */
export function metrics(): Metrics {
  holder.counterfoilMetrics ??= createMetrics();
  return holder.counterfoilMetrics;
}
