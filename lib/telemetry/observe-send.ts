import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { continueTrace, parseTraceparent } from "./trace-context.ts";
import { recordSpan } from "./tracing.ts";

/** One attempt to send, after it was settled. */
export type ObservedSend = {
  /** uuid of the message. */
  message: string;
  /** uuid of the event whose effect asked for it; null where none did. */
  event: string | null;
  operationKey: string;
  subject: string;
  channel: string;
  /** From the closed set of outcomes. */
  outcome: string;
  /** One sentence without payload, for what was not accepted. */
  why: string | null;
  /** traceparent of the event; null where there is none. */
  traceparent: string | null;
  /** Milliseconds since 1970. */
  start: number;
  end: number;
};

/** Tells log, figures and trace of an attempt to send. */
export function observeSend(send: ObservedSend): void {
  const { message, event, operationKey, subject, channel, outcome, why, traceparent, start, end } = send;
  const parent = parseTraceparent(traceparent);
  metrics().sends.inc({ channel, outcome });
  metrics().sendSeconds.observe({ channel }, (end - start) / 1_000);
  const fields = {
    message,
    event,
    businessKey: operationKey,
    subject,
    channel,
    outcome,
    why,
    trace: parent?.traceId,
  };
  if (outcome === "accepted") log().info(fields, "sent");
  else log().warn(fields, "not sent");
  recordSpan({
    name: `send ${channel}`,
    kind: "producer",
    at: continueTrace(parent),
    parent,
    start,
    end,
    attributes: {
      "counterfoil.message": message,
      "counterfoil.business_key": operationKey,
      "counterfoil.channel": channel,
      "counterfoil.outcome": outcome,
    },
    ...(outcome !== "accepted" && { error: why ?? outcome }),
  });
}
