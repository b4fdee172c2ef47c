import type { FailedTry } from "#lib/inbox/retry.ts";
import type { Settled } from "#lib/inbox/write-settlements.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { continueTrace, parseTraceparent } from "./trace-context.ts";
import { recordSpan } from "./tracing.ts";

/** Tells log, figures and traces of a batch whose commit is confirmed. `start` in milliseconds since 1970. */
export function observeBatch(settled: readonly Settled[], start: number): void {
  if (settled.length === 0) return;
  const end = Date.now();
  metrics().applyRows.observe(settled.length);
  metrics().applySeconds.observe((end - start) / 1_000);
  for (const each of settled) observeSettled(each, start, end);
}

function observeSettled({ row, settlement, verdicts }: Settled, start: number, end: number): void {
  const { id, sourceId, account, eventId, type, subject } = row;
  const { status, outcome, why } = settlement;
  const parent = parseTraceparent(row.traceparent);
  const eventKey = `${sourceId}/${account}/${eventId}`;
  const businessKeys = verdicts.map(({ effect }) => `${sourceId}/${account}/${subject}/${effect}`);
  metrics().settled.inc({ source: sourceId, status, outcome: outcome ?? "" });
  if (status === "done") {
    const seconds = (end - Date.parse(row.receivedAt)) / 1_000;
    metrics().receiptToDone.observe({ source: sourceId }, Math.max(0, seconds));
  }
  log().info(
    { event: id, eventKey, businessKeys, type, subject, status, outcome, why, trace: parent?.traceId },
    status === "done" ? "applied" : "settled",
  );
  recordSpan({
    name: `apply ${verdicts[0]?.effect ?? status}`,
    kind: "consumer",
    at: continueTrace(parent),
    parent,
    start,
    end,
    attributes: {
      "counterfoil.event": id,
      "counterfoil.event_key": eventKey,
      "counterfoil.business_keys": businessKeys,
      "counterfoil.status": status,
      "counterfoil.outcome": outcome ?? "",
    },
    ...(status === "failed" && { error: why }),
  });
}

/** The same of rows that will be tried again, or have run out of tries. */
export function observeFailedTries(tries: readonly FailedTry[]): void {
  for (const { id, sourceId, attempts, error } of tries) {
    metrics().failedAttempts.inc({ source: sourceId });
    log().warn({ event: id, source: sourceId, attempt: attempts + 1, err: error }, "an attempt failed");
  }
}
