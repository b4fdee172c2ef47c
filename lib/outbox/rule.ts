import type { SendResult } from "#db/states.ts";
import type { SendOutcome } from "#lib/channels/types.ts";
import { sendDelay } from "./backoff.ts";
import type { LeasedMessage } from "./message.ts";

/** What an outcome means for the message, for its destination, and for the history. */
export type Ruling = {
  result: Extract<SendResult, "accepted" | "retry" | "down" | "rejected" | "unknown">;
  next: "sent" | "rejected" | "unknown" | "pending";
  why: string;
  /** Seconds, for `pending`. */
  delay: number;
  /** The least delay that the destination asked for, seconds. */
  asked: number;
  /** Whether this attempt is held against the message. */
  counts: boolean;
  /** Whether some attempt may have arrived, this one included. */
  ambiguous: boolean;
  /**
   * For `pending`: for how many seconds from the first call a resend is known to make no second message. Where the
   * delay leads beyond it, a person decides instead. Null: without limit.
   */
  keySeconds: number | null;
  /** What it says of the destination. */
  lane: "up" | "fails" | "down" | "gone" | "silent";
};

type Held = Pick<LeasedMessage, "attempts" | "ambiguous" | "policy">;

/** State × outcome → next state. Pure; `random` is in [0, 1), `keySeconds` the channel's documented key lifetime. */
export function ruleOn(
  message: Held,
  outcome: SendOutcome,
  keySeconds: number | null,
  random: number,
): Ruling {
  const { policy } = message;
  const ambiguous = message.ambiguous || outcome.kind === "unknown";
  const attempts = message.attempts + 1;
  const asked = outcome.kind === "retry" ? (outcome.after ?? 0) : 0;
  const base = {
    why: outcome.why,
    delay: sendDelay(attempts, random, asked),
    asked,
    counts: true,
    ambiguous,
    keySeconds: ambiguous && policy === "idempotent" ? (keySeconds ?? 0) : null,
  };
  switch (outcome.kind) {
    case "accepted":
      return { ...base, result: "accepted", next: "sent", lane: "up" };
    case "rejected":
      // The refusal says nothing of an earlier attempt that may have arrived.
      return {
        ...base,
        result: "rejected",
        next: ambiguous && policy !== "duplicate-ok" ? "unknown" : "rejected",
        lane: "up",
      };
    case "retry":
      return { ...base, ...ruleOnRetry(outcome, message.attempts, random) };
    case "unknown":
      return { ...base, result: "unknown", next: policy === "review" ? "unknown" : "pending", lane: "fails" };
    default:
      return outcome satisfies never;
  }
}

/** Seconds after which a message is looked at again that could not be tried at all. */
const SETUP_DELAY = 60;

function ruleOnRetry(outcome: Extract<SendOutcome, { kind: "retry" }>, attempts: number, random: number) {
  switch (outcome.blame) {
    case "message":
      return { result: "retry", next: "pending", lane: outcome.disables ? "gone" : "fails" } as const;
    case "destination":
      return {
        result: "down",
        next: "pending",
        counts: false,
        delay: sendDelay(attempts + 1, random, outcome.after),
        lane: outcome.disables ? "gone" : "down",
      } as const;
    case "setup":
      return { result: "down", next: "pending", counts: false, delay: SETUP_DELAY, lane: "silent" } as const;
    default:
      return outcome.blame satisfies never;
  }
}
