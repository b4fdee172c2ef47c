import { idText } from "#lib/json.ts";
import { minorUnits, readAmount } from "./amounts.ts";
import { field, readTransactionId } from "./payments-transaction.ts";
import { decideByState } from "./projection-state.ts";
import { currency } from "./shapes.ts";
import type { Decision, Effect, EffectEvent, Reading } from "./types.ts";

/** What each type says the transaction has come to. */
const STATUSES: Record<string, string> = {
  TRANSACTION_CREATED: "created",
  TRANSACTION_PENDING: "pending",
  TRANSACTION_AUTHORISED: "authorised",
  TRANSACTION_AUTHORIZED: "authorised",
  TRANSACTION_CAPTURED: "captured",
  TRANSACTION_SUCCEEDED: "succeeded",
  TRANSACTION_FAILED: "failed",
  TRANSACTION_CANCELLED: "cancelled",
  TRANSACTION_EXPIRED: "expired",
  TRANSACTION_PARTIALLY_REFUNDED: "partially_refunded",
  TRANSACTION_REFUNDED: "refunded",
};

/** Paid is never unpaid again, and what was refunded stays so. */
const RANKS: Record<string, number> = {
  created: 0,
  pending: 0,
  authorised: 1,
  failed: 2,
  cancelled: 2,
  expired: 2,
  captured: 3,
  succeeded: 4,
  partially_refunded: 5,
  refunded: 6,
};

const rankOf = (status: string): number => RANKS[status] ?? 0;

type Transaction = {
  transaction: string;
  customer: string | null;
  status: string;
  version: bigint | null;
  money: { amount: bigint; currency: string } | null;
};

/**
 * The state of a payments sender's transaction: by the sender's monotonic version where its events carry one, else by
 * the order in which a transaction can live. It asks for no more than an id, so that it never holds back a grant or a
 * reversal of the same event.
 */
export const transactionState: Effect<Transaction> = {
  name: "transaction-state",
  takes: { payments: Object.keys(STATUSES) },
  read,
  lockKeys: (event, { transaction }) => [
    JSON.stringify([event.sourceId, event.account, "transaction", transaction]),
  ],
  needs: ({ sourceId, account }, { transaction }) => [
    { kind: "projection", sourceId, account, projection: "transaction", id: transaction },
  ],
  decide({ sourceId, account }, { transaction, customer, status, version, money }, facts): Decision {
    const known = facts.projection({ sourceId, account, projection: "transaction", id: transaction });
    const subject = { kind: "transaction" as const, id: transaction, customer };
    const state = { status, rank: rankOf(status), version, statedAt: null };
    const carried = { ...state, amount: money?.amount ?? null, currency: money?.currency ?? null };
    return decideByState(subject, carried, known, rankOf);
  },
};

function read(event: EffectEvent): Reading<Transaction> {
  const transaction = readTransactionId(event);
  if (!transaction)
    return { ok: false, why: "the transaction does not have the expected shape at transactionId" };
  const version = field(event, "version", "sequence");
  const isWhole = typeof version === "bigint" || Number.isSafeInteger(version);
  return {
    ok: true,
    input: {
      transaction,
      customer: idText(field(event, "customerId") ?? undefined),
      status: STATUSES[event.type]!,
      version: isWhole ? minorUnits(BigInt(version as number | bigint)) : null,
      money: event.type === "TRANSACTION_SUCCEEDED" ? moneyOf(event) : null,
    },
  };
}

/** The amount of the payment itself: other types may tell of a part of it. */
function moneyOf(event: EffectEvent): Transaction["money"] {
  const code = currency.safeParse(field(event, "currency"));
  const amount =
    code.success && readAmount(field(event, "amount") ?? undefined, code.data, event.settings.amounts);
  return typeof amount === "bigint" ? { amount, currency: code.data! } : null;
}
