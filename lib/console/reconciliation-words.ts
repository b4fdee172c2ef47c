import type { GapClass } from "#db/states.ts";
import type { RunItem } from "#lib/api/reads/reconciliations.ts";
import type { Badge } from "./badge.ts";

/** A gap class in two words, and what a person does about one that nothing here repairs. */
export const GAP_WORDS: Record<GapClass, { word: string; advice: string }> = {
  no_receipt: { word: "No receipt", advice: "A repair puts the receipt in, or asks the sender for it." },
  receipt_without_effect: {
    word: "Receipt without effect",
    advice: "Open its event: what it waits for, or why it failed.",
  },
  effect_without_paid_object: {
    word: "Effect without payment",
    advice: "Look the invoice up at the sender; correct the credits by hand if it was not paid.",
  },
  amount_or_workspace_differs: {
    word: "Amount or workspace differs",
    advice: "Compare the invoice with the sender's books; correct the credits by hand.",
  },
  intent_unsent: {
    word: "Message not sent",
    advice: "Decide in the outbox: it was sent, resend, or cancel.",
  },
};

const RUNS: Record<RunItem["status"], Badge> = {
  pending: { tone: "wait", glyph: "◷", word: "waiting" },
  running: { tone: "wait", glyph: "→", word: "running" },
  done: { tone: "ok", glyph: "✓", word: "full pass" },
  failed: { tone: "bad", glyph: "!", word: "failed" },
  cancelled: { tone: "mute", glyph: "×", word: "cancelled" },
};

/** A run that ended with a warning is no full pass, and one that is tried again says so. */
export function runBadge({
  status,
  isFull,
  failures,
}: Pick<RunItem, "status" | "isFull" | "failures">): Badge {
  if (status === "done" && !isFull) return { tone: "warn", glyph: "!", word: "with warnings" };
  if (status === "pending" && failures > 0) return { tone: "warn", glyph: "↻", word: "tried again later" };
  return RUNS[status];
}
