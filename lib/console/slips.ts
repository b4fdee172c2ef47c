import type {
  EntryItem,
  InvoiceTrace,
  MessageItem,
  ReceiptItem,
  ReplayItem,
  TraceItem,
} from "#lib/trace/types.ts";
import { type Badge, inboxBadge, namedBadge, outboxBadge } from "./badge.ts";
import { duration } from "./time.ts";

/** One counterfoil: the stub keeps what came in, the body says what it did. */
export type Slip = {
  key: string;
  at: string;
  /** Sender's words (types, ids, reasons) are marked, because they are shown as text from outside. */
  stub: { title: string; id: string | null; more: string | null; href: string | null };
  title: string;
  badge: Badge | null;
  /** At the right: how long, how often. */
  figure: string | null;
  lines: string[];
  /** It changed nothing. */
  isVoid: boolean;
};

/** The trace as slips, in its order. Attempts and effects belong to the slip of their receipt. Pure. */
export function toSlips(trace: InvoiceTrace): Slip[] {
  const { items } = trace;
  const receipts = new Set(items.filter(isReceipt).map(({ id }) => id));
  return items.flatMap((item) => toSlip(item, { items, receipts }) ?? []);
}

type Context = { items: readonly TraceItem[]; receipts: Set<string> };

function toSlip(item: TraceItem, context: Context): Slip | null {
  switch (item.kind) {
    case "receipt":
      return receiptSlip(item, context.items);
    case "replay":
      return replaySlip(item);
    case "message":
      return messageSlip(item);
    case "conflict":
      return {
        key: item.id,
        at: item.at,
        stub: { title: "Other content", id: null, more: `came ${times(item.seen)}`, href: null },
        title: item.resolvedAt ? "Conflict, resolved" : "Kept apart",
        badge: { tone: "odd", glyph: "≠", word: "conflict" },
        figure: null,
        lines: sentences(item.why, "The first content stays what it was."),
        isVoid: item.resolvedAt !== null,
      };
    case "entry":
      // The grant is told by the receipt that made it; what came from elsewhere has a slip of its own.
      return item.event !== null && context.receipts.has(item.event) ? null : entrySlip(item);
    case "delivery":
    case "attempt":
    case "effect":
    case "link":
    case "note":
      return null;
    default:
      return item satisfies never;
  }
}

function receiptSlip(receipt: ReceiptItem, items: readonly TraceItem[]): Slip {
  const entries = items.filter(
    (item): item is EntryItem => item.kind === "entry" && item.event === receipt.id,
  );
  const attempts = items.filter((item) => item.kind === "attempt" && item.event === receipt.id);
  const intents = items.filter((item) => item.kind === "message" && item.event === receipt.id);
  const failures = attempts.filter((item) => item.kind === "attempt" && item.result === "retry");
  const grant = entries[0];
  return {
    key: receipt.id,
    at: receipt.at,
    stub: {
      title: receipt.type,
      id: receipt.eventId,
      more: receipt.deliveries > 1 ? `${receipt.deliveries} deliveries` : null,
      href: receipt.id,
    },
    title: grant ? grantTitle(grant) : receiptTitle(receipt),
    badge: inboxBadge(receipt),
    figure: receipt.status === "done" && receipt.durationMs !== null ? duration(receipt.durationMs) : null,
    lines: [
      ...(failures.length > 0 ? [`${ordinal(failures.length + 1)} try; ${lastCause(failures)}.`] : []),
      ...(grant ? grantLines(grant, intents.length) : sentences(receipt.why)),
    ],
    isVoid: receipt.status === "ignored" || receipt.status === "dismissed" || isWithoutEffect(receipt),
  };
}

const isWithoutEffect = ({ status, outcome }: ReceiptItem) =>
  status === "done" && (outcome === "already_applied" || outcome === "not_eligible" || outcome === "stale");

const grantTitle = (entry: EntryItem) =>
  entry.operation === "initial-credit-grant"
    ? `Granted ${entry.amount} credits to ${entry.workspace.name}`
    : `${entry.amount} credits for ${entry.workspace.name}`;

function grantLines(grant: EntryItem, intents: number): string[] {
  if (intents > 0) return ["The confirmation was intended in the same commit."];
  return grant.confirmationOmitted ? sentences(`No confirmation: ${grant.confirmationOmitted}`) : [];
}

function receiptTitle({ status, outcome }: ReceiptItem): string {
  switch (status) {
    case "pending":
      return "Not processed yet";
    case "waiting":
      return "Waits";
    case "failed":
      return "Needs a decision";
    case "quarantined":
      return "Kept apart";
    case "ignored":
    case "dismissed":
      return "Nothing was done";
    case "done":
      return outcome === "applied" || outcome === "linked" ? "Done" : "Nothing to do";
    default:
      return status satisfies never;
  }
}

function replaySlip(replay: ReplayItem): Slip {
  const applied = replay.result === "done" || replay.result === "applied";
  return {
    key: replay.id,
    at: replay.at,
    stub: { title: `Replay by ${replay.actor}`, id: null, more: replay.reason, href: null },
    title: applied ? "Applied by this replay" : "Nothing to do",
    badge: namedBadge(replay.result),
    figure: replay.durationMs === null ? null : duration(replay.durationMs),
    lines: sentences(replay.why, applied ? null : "The balance did not move."),
    isVoid: !applied,
  };
}

function messageSlip(message: MessageItem): Slip {
  const held = message.channel === "email" && message.status === "pending";
  const what = message.purpose === "confirmation" ? "Confirmation" : message.topic;
  return {
    key: message.id,
    at: message.at,
    stub: {
      title: `${what}, ${message.channel === "email" ? "e-mail" : message.channel}`,
      id: maskAddress(message.destination),
      more: null,
      href: null,
    },
    title: MESSAGE_TITLES[message.status],
    badge: outboxBadge(message.status),
    figure: message.status === "sent" && message.durationMs !== null ? duration(message.durationMs) : null,
    lines: sentences(message.why, held ? "It waits in the outbox until it can be sent." : null),
    isVoid: false,
  };
}

const MESSAGE_TITLES: Record<MessageItem["status"], string> = {
  pending: "Waits to be sent",
  sending: "Being sent",
  sent: "Sent",
  unknown: "Perhaps sent",
  rejected: "Refused by the receiving side",
  abandoned: "Given up",
  cancelled: "Cancelled",
};

function entrySlip(entry: EntryItem): Slip {
  return {
    key: entry.id,
    at: entry.at,
    stub: { title: entry.operation, id: null, more: null, href: entry.event },
    title: grantTitle(entry),
    badge: namedBadge("applied"),
    figure: null,
    lines: [],
    isVoid: false,
  };
}

/** "b***@acme.example": enough to recognise an address, not enough to take it away. */
export function maskAddress(destination: string): string {
  const at = destination.lastIndexOf("@");
  return at > 0 ? `${destination.slice(0, 1)}***${destination.slice(at)}` : destination;
}

const isReceipt = (item: TraceItem): item is ReceiptItem => item.kind === "receipt";
const times = (count: number) => (count === 1 ? "once" : `${count} times`);

const lastCause = (failures: readonly TraceItem[]) => failures.at(-1)?.why ?? "the one before failed";

function ordinal(count: number): string {
  return ["", "First", "Second", "Third", "Fourth", "Fifth"][count] ?? `${count}th`;
}

/** Each as a sentence: with a capital and a full stop. */
function sentences(...texts: (string | null)[]): string[] {
  return texts.flatMap((text) =>
    text ? [`${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`] : [],
  );
}
