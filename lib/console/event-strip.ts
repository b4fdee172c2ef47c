import type { EventDetails, EventRow } from "./event.ts";
import { bytes, countOf } from "./text.ts";
import { clock, day, duration, relative, toMillis } from "./time.ts";

export type StripStep = {
  what: string;
  main: string;
  /** Name of a state, where a badge says it better. */
  badge?: string;
  detail: string;
  at: string | null;
  reached: boolean;
};

/** The five stations of an event. Pure. */
export function stripSteps(event: EventRow, details: EventDetails, zone: string): StripStep[] {
  return [
    {
      what: "Received",
      main: clock(event.receivedAt, zone),
      detail: day(event.receivedAt, zone),
      at: event.receivedAt,
      reached: true,
    },
    {
      what: "Committed",
      main: bytes(event.bodyBytes),
      detail: describeOrigin(event),
      at: null,
      reached: true,
    },
    attemptsStep(event),
    effectStep(event, details),
    intentStep(details),
  ];
}

function describeOrigin({ origin, secretFingerprint }: EventRow): string {
  if (origin === "reconciliation") return "put in by a reconciliation, from the sender's books";
  return secretFingerprint ? `verified by secret ${secretFingerprint}` : "before it was answered";
}

function attemptsStep(event: EventRow): StripStep {
  const tries = event.attempts === 0 ? "not tried yet" : countOf(event.attempts, "try", "tries");
  return {
    what: "Attempts",
    main: tries,
    detail: attemptsDetail(event),
    at: null,
    reached: event.attempts > 0,
  };
}

function attemptsDetail(event: EventRow): string {
  if (event.status === "pending" && event.sourceStatus === "paused") return "held: the source is paused";
  if (event.status === "pending" && event.nextAttemptAt) {
    return `next ${relative(toMillis(event.nextAttemptAt), toMillis(event.now))}`;
  }
  if (!event.finishedAt) return event.attempts > 0 ? "" : "not by itself";
  return `finished ${duration(toMillis(event.finishedAt) - toMillis(event.receivedAt))} after receipt`;
}

function effectStep(event: EventRow, { effects }: EventDetails): StripStep {
  const first = effects[0];
  if (first) {
    const badge = first.outcome;
    return { what: "Effect", main: first.outcome, badge, detail: first.effect, at: first.at, reached: true };
  }
  const open = event.status === "done" || event.status === "pending" ? undefined : event.status;
  const detail = open ? (event.failureClass ?? event.waitsKind ?? "") : "";
  return { what: "Effect", main: "none yet", badge: open, detail, at: null, reached: false };
}

function intentStep({ messages, entries }: EventDetails): StripStep {
  const first = messages[0];
  if (first) {
    const detail = messages.length > 1 ? `and ${messages.length - 1} more` : first.topic;
    const main = `${first.channel === "email" ? "e-mail" : first.channel}, ${first.status}`;
    return { what: "Intent", main, detail, at: first.createdAt, reached: true };
  }
  const omitted = entries.find((entry) => entry.confirmationOmitted)?.confirmationOmitted;
  return {
    what: "Intent",
    main: "none",
    detail: omitted ?? "nothing has to be sent",
    at: null,
    reached: false,
  };
}
