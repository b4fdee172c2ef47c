import type { InboxStatus } from "#db/states.ts";
import type { Ruling } from "./decide.ts";
import type { NotPrepared } from "./prepare.ts";
import type { InboxRow } from "./row.ts";

/** The columns that a settled row gets. Every transition names the state it was read in (`was`, `attempts`). */
export type Settlement = {
  id: string;
  was: InboxStatus;
  attempts: number;
  status: InboxStatus;
  outcome: string | null;
  failureClass: string | null;
  waitsKind: string | null;
  waitsKey: string | null;
  why: string;
  /** A better subject than the event's own; null leaves that. */
  subject: string | null;
};

/** State × ruling → next state. Pure. */
export function settle(row: InboxRow, ruling: Ruling | NotPrepared): Settlement {
  const base = {
    id: row.id,
    was: row.status,
    attempts: row.attempts,
    outcome: null,
    failureClass: null,
    waitsKind: null,
    waitsKey: null,
    subject: null,
  };
  switch (ruling.kind) {
    case "done": {
      const primary = ruling.verdicts[0]!;
      return {
        ...base,
        status: "done",
        outcome: primary.outcome,
        why: primary.why,
        subject: primary.subject,
      };
    }
    case "wait":
      return {
        ...base,
        status: "waiting",
        waitsKind: ruling.waitsKind,
        waitsKey: ruling.waitsKey,
        why: ruling.why,
        subject: ("subject" in ruling && ruling.subject) || null,
      };
    case "ignore":
      return { ...base, status: "ignored", why: ruling.why };
    case "invalid":
      return { ...base, status: "failed", failureClass: "invalid", why: ruling.why };
    case "fail":
      return {
        ...base,
        status: "failed",
        failureClass: ruling.failureClass,
        why: ruling.why,
        subject: ruling.subject ?? null,
      };
    default:
      return ruling satisfies never;
  }
}
