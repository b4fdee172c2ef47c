import type { OperationView } from "#lib/api/reads/operations.ts";
import type { Badge } from "./badge.ts";
import { countOf } from "./text.ts";

const BADGES: Record<OperationView["status"], Badge> = {
  frozen: { tone: "mute", glyph: "·", word: "dry run" },
  scheduled: { tone: "wait", glyph: "◷", word: "about to start" },
  running: { tone: "wait", glyph: "→", word: "running" },
  done: { tone: "ok", glyph: "✓", word: "done" },
  cancelled: { tone: "warn", glyph: "×", word: "cancelled" },
  undone: { tone: "mute", glyph: "↶", word: "undone" },
};

export const operationBadge = ({ status }: Pick<OperationView, "status">): Badge => BADGES[status];

const VERBS: Record<string, string> = {
  replay: "Replay",
  retry: "Try again",
  dismiss: "Dismiss",
  resend: "Resend",
  cancel: "Cancel",
};

const THINGS: Record<string, string> = { resend: "message", cancel: "message" };

/** "Replay 48 events": what is done to how many. */
export function operationTitle({ action, count }: Pick<OperationView, "action" | "count">): string {
  return `${VERBS[action] ?? action} ${countOf(count, THINGS[action] ?? "event")}`;
}

/** Still to come, or under way. */
export const isOpen = ({ status }: Pick<OperationView, "status">): boolean =>
  status === "scheduled" || status === "running";

/** Verdicts that a person may have to look at stand last, each group by its number. */
const LAST = ["skipped", "refused", "blocked", "failed"];

export function sortVerdicts(verdicts: Record<string, number>): [verdict: string, items: number][] {
  return Object.entries(verdicts).sort(
    ([a, m], [b, n]) => LAST.indexOf(a) - LAST.indexOf(b) || n - m || (a < b ? -1 : 1),
  );
}
