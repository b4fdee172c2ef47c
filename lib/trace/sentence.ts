import { duration, toMillis } from "#lib/console/time.ts";
import type { EntryItem, MessageItem, ReceiptItem, TraceItem } from "./types.ts";

/**
 * What happened to an invoice, in words that support can read to a customer: no ids, no states, no causes of faults.
 * Items are in order, times in ISO 8601; the sentence speaks UTC. Pure.
 */
export function tellInvoice(items: readonly TraceItem[]): string {
  const reversals = items.filter((item) => item.kind === "entry").filter(isReversal);
  const reversing = new Set(reversals.map(({ event }) => event));
  // What took credits back, or only said which payment it was, is no notice of the payment that changed nothing.
  const receipts = items
    .filter((item) => item.kind === "receipt")
    .filter(({ id, outcome }) => !reversing.has(id) && outcome !== "linked");
  const grant = items.find((item) => item.kind === "entry" && item.operation === "initial-credit-grant");
  if (grant?.kind !== "entry") return tellWithoutGrant(receipts);
  const confirmation = items.find((item) => item.kind === "message" && item.purpose === "confirmation");
  const sentences = [
    tellGrant(grant, receipts),
    tellConfirmation(grant, confirmation?.kind === "message" ? confirmation : null),
    ...tellReversals(reversals),
    ...receipts.filter(({ status }) => status === "failed").map(tellDisagreement),
  ];
  return sentences.filter(Boolean).join(" ");
}

function tellGrant(grant: EntryItem, receipts: readonly ReceiptItem[]): string {
  const first = receipts[0];
  const after = first
    ? `, ${duration(toMillis(grant.at) - toMillis(first.at))} after the first notice came`
    : "";
  // A notice that failed or waits has a sentence of its own, or none yet; it did not "change nothing".
  const settled = receipts.filter(({ status }) => status === "done");
  const further = settled.reduce((sum, { deliveries }) => sum + deliveries, 0) - 1;
  const [noun, verb] = grant.amount === "1" ? ["credit", "was"] : ["credits", "were"];
  const repeats =
    further < 1
      ? ""
      : further === 1
        ? "; one more notice changed nothing"
        : `; ${further} more notices changed nothing`;
  return `${grant.amount} ${noun} ${verb} granted to ${grant.workspace.name} ${tellTime(grant.at)}${after}${repeats}.`;
}

const isReversal = ({ operation, amount }: EntryItem) =>
  operation.startsWith("credit-reversal:") && amount !== "0";

/** Each of a few; of many, what they came to. */
function tellReversals(reversals: readonly EntryItem[]): string[] {
  if (reversals.length <= 3) return reversals.map((entry) => tellMove(BigInt(entry.amount), entry.at));
  const sum = reversals.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const last = reversals.at(-1)!;
  if (sum === 0n)
    return [
      `What was taken back was given back by ${reversals.length} steps, the last ${tellTime(last.at)}.`,
    ];
  return [`In ${reversals.length} steps ${tellMove(sum, last.at)}`];
}

function tellMove(amount: bigint, at: string): string {
  const size = amount < 0n ? -amount : amount;
  const [noun, verb] = size === 1n ? ["credit", "was"] : ["credits", "were"];
  return `${size} ${noun} ${verb} ${amount < 0n ? "taken back" : "given back"} ${tellTime(at)}.`;
}

function tellConfirmation(grant: EntryItem, message: MessageItem | null): string {
  if (!message)
    return grant.confirmationOmitted ? `No confirmation was sent: ${grant.confirmationOmitted}.` : "";
  switch (message.status) {
    case "pending":
      return "The confirmation is waiting to be sent.";
    case "sending":
      return "The confirmation is being sent.";
    case "sent":
      return `The confirmation was sent${message.finishedAt ? ` ${tellTime(message.finishedAt)}` : ""}.`;
    case "unknown":
      return "Whether the confirmation went out is not certain; somebody looks into it.";
    case "rejected":
      return "The confirmation was refused by the receiving side.";
    case "abandoned":
      return "The confirmation could not be delivered.";
    case "cancelled":
      return "The confirmation was cancelled.";
    default:
      return message.status satisfies never;
  }
}

const tellDisagreement = ({ why }: ReceiptItem) =>
  `One notice could not be accepted and needs a decision: ${why}.`;

/** The receipt that says most about why there is no grant. */
const TELLING: ReceiptItem["status"][] = [
  "failed",
  "waiting",
  "pending",
  "quarantined",
  "done",
  "dismissed",
  "ignored",
];

function tellWithoutGrant(receipts: readonly ReceiptItem[]): string {
  const told = TELLING.flatMap((status) => receipts.filter((receipt) => receipt.status === status))[0];
  if (!told) return "No notice about this invoice has come, and nothing was granted for it.";
  const received = `Notice of this invoice came ${tellTime(told.at)}`;
  const because = told.why ? `: ${told.why}` : "";
  switch (told.status) {
    case "pending":
      return told.attempts === 0
        ? `${received} and is about to be processed; nothing was granted yet.`
        : `${received}, but the last try to process it failed${told.nextAttemptAt ? ` and is repeated ${tellTime(told.nextAttemptAt)}` : ""}; nothing was granted yet.`;
    case "waiting":
      return `${received}; nothing was granted yet${because}.`;
    case "failed":
    case "quarantined":
      return `${received}; nothing was granted, and it needs a decision${because}.`;
    case "dismissed":
      return `${received}; nothing was granted, and it was closed by hand${because}.`;
    case "done":
    case "ignored":
      return `${received}; nothing was granted${because}.`;
    default:
      return told.status satisfies never;
  }
}

/** "on 3 March 2026 at 10:02:11 UTC" */
function tellTime(iso: string): string {
  const date = new Date(toMillis(iso));
  const day = date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  return `on ${day} at ${date.toISOString().slice(11, 19)} UTC`;
}
