import { idText, isCleanId, member } from "#lib/json.ts";
import { minorUnits } from "./amounts.ts";
import type { ReturnFact } from "./facts.ts";
import { field, readMoney, readTransactionId } from "./payments-transaction.ts";
import type { EffectEvent, PaymentLink, Reading } from "./types.ts";

/** One piece of news about returned money; `cause` in a few words for people. */
export type ToldReturn = Pick<ReturnFact, "kind" | "reference" | "amount" | "state"> & {
  cause: string;
  /** Neither a refund's id nor said to be a total: only certain where it is all that was paid. */
  unclear?: boolean;
};

/** What an event says about returned money, read alike from every sender. Amounts are minor units. */
export type MoneyBack = {
  /** Where the event itself names the invoice. */
  invoice: string | null;
  /** What leads to the invoice otherwise, the best first. */
  payments: string[];
  currency: string;
  returns: ToldReturn[];
  links: PaymentLink[];
};

const REFUND_FAILED = /^(failed|cancell?ed|reversed)$/i;

/**
 * Refunds of a payments sender: one with an id (`refundId`, its amount in `refundAmount` or `amount`), or the running
 * total of the transaction (`amountRefunded`).
 */
export function readRefundedTransaction(event: EffectEvent): Reading<MoneyBack> {
  const transaction = readTransactionId(event);
  if (!transaction)
    return { ok: false, why: "the transaction does not have the expected shape at transactionId" };
  const refundId = idText(field(event, "refundId") ?? member(field(event, "refund") ?? undefined, "id"));
  const hasTotal = field(event, "amountRefunded", "refundedAmount") !== null;
  const money = refundId
    ? readMoney(event, "refundAmount", "amount")
    : readMoney(event, "amountRefunded", "refundedAmount", "amount");
  if (!money.ok) return money;
  const failed =
    event.type === "TRANSACTION_REFUND_FAILED" ||
    REFUND_FAILED.test(String(field(event, "refundStatus") ?? ""));
  if (failed && !refundId) return { ok: false, why: "a refund that failed has to be named by its id" };
  const told: ToldReturn = refundId
    ? {
        kind: "refund",
        reference: refundId,
        amount: money.input.amount,
        state: failed ? "failed" : "given",
        cause: failed ? "refund failed" : "refund",
      }
    : {
        kind: "total",
        reference: transaction,
        amount: money.input.amount,
        state: "given",
        cause: "refund",
        unclear: !hasTotal,
      };
  return {
    ok: true,
    input: {
      invoice: transaction,
      payments: [transaction],
      currency: money.input.currency,
      returns: [told],
      links: [],
    },
  };
}

/** What a person decided; the event's id is its key. */
export type Correction = { workspace: string; amount: bigint; reason: string };

/** A correction's payload: {workspace, amount, reason}; the amount in signed credits, as an integer or its digits. */
export function readCorrection({ payload }: EffectEvent): Reading<Correction> {
  const workspace = idText(member(payload, "workspace"));
  const digits = idText(member(payload, "amount"));
  const reason = member(payload, "reason");
  const amount = digits && /^-?[0-9]{1,19}$/.test(digits) ? BigInt(digits) : 0n;
  if (!workspace || !isCleanId(workspace)) return { ok: false, why: "the correction names no workspace" };
  if (amount === 0n || minorUnits(amount < 0n ? -amount : amount) === null)
    return { ok: false, why: "the correction has no usable amount" };
  return { ok: true, input: { workspace, amount, reason: typeof reason === "string" ? reason : "" } };
}
