import type { Receipt, Rejection, Stored } from "#lib/receive/types.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { recordSpan } from "./tracing.ts";

/** Tells log, figures and trace of a delivery whose commit is confirmed. `start` in milliseconds since 1970. */
export function observeReceipt(receipt: Receipt, stored: Stored, start: number): void {
  const { sourceId, account, eventId, type, subject, trace, parentTrace } = receipt;
  metrics().receipts.inc({ source: sourceId, result: stored.result });
  log().info(
    {
      event: stored.event,
      eventKey: `${sourceId}/${account}/${eventId}`,
      type,
      subject,
      result: stored.result,
      trace: trace.traceId,
    },
    "received",
  );
  recordSpan({
    name: `receive ${sourceId}`,
    kind: "server",
    at: trace,
    parent: parentTrace,
    start,
    end: Date.now(),
    attributes: {
      "counterfoil.event": stored.event,
      "counterfoil.event_key": `${sourceId}/${account}/${eventId}`,
      "counterfoil.event_type": type,
      "counterfoil.subject": subject ?? "",
      "counterfoil.result": stored.result,
    },
  });
}

/** A name that is no source's is the caller's invention, and makes no label. */
export function observeRejection({ sourceId, reason }: Rejection): void {
  metrics().rejections.inc({ source: reason === "unknown_source" ? "(unknown)" : sourceId, reason });
}
