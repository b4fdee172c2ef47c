import type { InboxStatus, OutboxStatus, Outcome } from "#db/states.ts";

/** How a state looks. Colour never stands alone: glyph and word are always beside it. */
export type Tone = "ok" | "wait" | "warn" | "bad" | "odd" | "mute";
export type Badge = { tone: Tone; glyph: string; word: string };

const OUTCOMES: Record<Outcome, Badge> = {
  applied: { tone: "ok", glyph: "✓", word: "applied" },
  already_applied: { tone: "mute", glyph: "=", word: "already applied" },
  not_eligible: { tone: "mute", glyph: "–", word: "not eligible" },
  linked: { tone: "ok", glyph: "∞", word: "linked" },
  stale: { tone: "mute", glyph: "‹", word: "stale" },
};

const VERDICTS: Record<string, Badge> = {
  ...OUTCOMES,
  would_apply: { tone: "warn", glyph: "→", word: "would apply" },
  blocked: { tone: "bad", glyph: "!", word: "blocked" },
};

const INBOX: Record<Exclude<InboxStatus, "done" | "pending">, Badge> = {
  waiting: { tone: "wait", glyph: "‖", word: "waiting" },
  ignored: { tone: "mute", glyph: "–", word: "ignored" },
  failed: { tone: "bad", glyph: "!", word: "failed" },
  quarantined: { tone: "odd", glyph: "≠", word: "quarantined" },
  dismissed: { tone: "mute", glyph: "×", word: "dismissed" },
};

/** A pending event that was tried before is retrying; a done one shows what it came to. */
export function inboxBadge(event: { status: InboxStatus; outcome: Outcome | null; attempts: number }): Badge {
  if (event.status === "done") return outcomeBadge(event.outcome ?? "applied");
  if (event.status !== "pending") return INBOX[event.status];
  return event.attempts > 0
    ? { tone: "warn", glyph: "↻", word: "retrying" }
    : { tone: "wait", glyph: "◷", word: "pending" };
}

export const outcomeBadge = (outcome: Outcome): Badge => OUTCOMES[outcome];

/** Any verdict, result or state by its name; an unknown one is shown as it is, muted. */
export function namedBadge(name: string): Badge {
  if (name === "done") return { tone: "ok", glyph: "✓", word: "done" };
  if (name === "retry") return { tone: "warn", glyph: "↻", word: "failed, again later" };
  if (name === "armed") return { tone: "ok", glyph: "↻", word: "armed again" };
  if (name === "skipped") return { tone: "warn", glyph: "↷", word: "skipped" };
  if (name === "refused") return { tone: "warn", glyph: "–", word: "refused" };
  if (name === "crash") return { tone: "bad", glyph: "!", word: "its process died" };
  if (name === "poison") return { tone: "bad", glyph: "!", word: "set aside" };
  if (name === "invalid") return { tone: "bad", glyph: "!", word: "cannot succeed" };
  if (name === "exhausted") return { tone: "bad", glyph: "!", word: "out of tries" };
  return (
    VERDICTS[name] ??
    INBOX[name as keyof typeof INBOX] ?? { tone: "mute", glyph: "·", word: name.replaceAll("_", " ") }
  );
}

export const CONFLICT_BADGE: Badge = { tone: "odd", glyph: "≠", word: "conflict" };
export const CLOSED_CONFLICT_BADGE: Badge = { tone: "mute", glyph: "×", word: "conflict, closed" };

const OUTBOX: Record<OutboxStatus, Badge> = {
  pending: { tone: "wait", glyph: "◷", word: "pending" },
  sending: { tone: "wait", glyph: "→", word: "sending" },
  sent: { tone: "ok", glyph: "✓", word: "sent" },
  unknown: { tone: "odd", glyph: "?", word: "unsure" },
  rejected: { tone: "bad", glyph: "!", word: "rejected" },
  abandoned: { tone: "bad", glyph: "×", word: "abandoned" },
  cancelled: { tone: "mute", glyph: "×", word: "cancelled" },
};

export const outboxBadge = (status: OutboxStatus): Badge => OUTBOX[status];
