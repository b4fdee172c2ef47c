import type { GapClass, InboxStatus } from "#db/states.ts";

/** What processing the sender's object now would come to: the effect's own decision. */
export type Foreseen =
  /** Nothing takes it, or the sender lists deliveries alone: only the receipt counts. */
  | { kind: "no_effect" }
  /** It would be granted: there is no entry. */
  | { kind: "would_apply" }
  /** There is an entry, and it says the same. */
  | { kind: "agrees" }
  /** There is an entry, and it differs. */
  | { kind: "differs"; why: string }
  | { kind: "not_eligible"; why: string; hasEntry: boolean }
  /** It would wait, or fail, without any entry. */
  | { kind: "held"; why: string };

export type ReceiptFact = {
  status: InboxStatus;
  failureClass: string | null;
  why: string | null;
  /** Seconds since it came. */
  age: number;
};

export type Finding = { class: GapClass; why: string; repairable: boolean };

/** Seconds in which a receipt may be under way without being a gap. */
export const UNDER_WAY = 600;

/** Compares one thing of the sender's list with what is here. Null: they agree, or it is under way. Pure. */
export function classify(
  paid: boolean,
  foreseen: Foreseen,
  receipts: readonly ReceiptFact[],
): Finding | null {
  switch (foreseen.kind) {
    case "agrees":
      return null;
    case "differs":
      return { class: "amount_or_workspace_differs", why: foreseen.why, repairable: false };
    case "not_eligible":
      if (!foreseen.hasEntry || paid) return null;
      return { class: "effect_without_paid_object", why: foreseen.why, repairable: false };
    case "no_effect":
      return receipts.length > 0
        ? null
        : { class: "no_receipt", why: "the sender has it, and no receipt came", repairable: true };
    case "would_apply":
      return receipts.length > 0 ? judgeReceipts(receipts) : missing();
    case "held":
      return receipts.length > 0 ? judgeReceipts(receipts) && heldBack(foreseen.why) : missing(foreseen.why);
    default:
      return foreseen satisfies never;
  }
}

function missing(why?: string): Finding {
  const what = "it was paid, and no receipt came";
  return { class: "no_receipt", why: why ? `${what}; with one: ${why}` : what, repairable: true };
}

const heldBack = (why: string): Finding => ({ class: "receipt_without_effect", why, repairable: false });

/** Receipts are there and the effect is not: whether a new receipt would help. */
function judgeReceipts(receipts: readonly ReceiptFact[]): Finding | null {
  if (receipts.some(({ status, age }) => status === "pending" && age < UNDER_WAY)) return null;
  // A person closed all there is: that is an answer.
  if (receipts.every(({ status }) => status === "dismissed")) return null;
  const [worst] = receipts.filter(({ status }) => status !== "dismissed");
  const { status, failureClass, why } = worst!;
  const name = failureClass ? `${status}, ${failureClass}` : status;
  return {
    class: "receipt_without_effect",
    why: `its receipt is ${name}${why ? `: ${why}` : ""}`,
    // Out of retries, or from before anything took it: the same decision may come to another end now. What failed for
    // its content, waits or is quarantined would only do so again, and what was judged not eligible is no accident.
    repairable: status === "ignored" || failureClass === "exhausted",
  };
}
