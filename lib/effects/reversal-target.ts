import { RETURN_STATES, type ReturnState } from "#db/states.ts";
import type { InvoiceFact, ReturnFact } from "./facts.ts";

/**
 * The arithmetic of reversals. What is to be taken back is a function of what is known about returned money, and that
 * only grows: so any order of events, with any repeats, ends at the same sum.
 */

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, value) => total + value, 0n);

/** Math.max has no bigints. */
function larger(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}

/**
 * Money that went back, in minor units. Per payment, refunds known by id and a running total tell of the same money,
 * so the larger counts; what failed afterwards was part of the total. Disputes come on top: no total covers them.
 */
export function moneyReturned(returns: readonly ReturnFact[]): bigint {
  const payments = [...new Set(returns.map(({ payment }) => payment))];
  return sum(payments.map((payment) => returnedOf(returns.filter((entry) => entry.payment === payment))));
}

function returnedOf(returns: readonly ReturnFact[]): bigint {
  const amountOf = (kind: ReturnFact["kind"], ...states: ReturnState[]) =>
    sum(
      returns
        .filter((entry) => entry.kind === kind && states.includes(entry.state))
        .map((entry) => entry.amount),
    );
  const byId = amountOf("refund", "given");
  const byTotal = amountOf("total", "given") - amountOf("refund", "failed");
  return larger(byId, byTotal) + amountOf("dispute", "open", "lost");
}

/** Credits to be taken back in all: in proportion, rounded in the customer's favour, and never more than granted. */
export function reversalTarget(
  grant: { amount: bigint; paidAmount: bigint },
  returns: readonly ReturnFact[],
): bigint {
  const returned = moneyReturned(returns);
  if (returned <= 0n) return 0n;
  return returned >= grant.paidAmount ? grant.amount : (grant.amount * returned) / grant.paidAmount;
}

/** Credits taken back so far, and credits that were to be taken and could not be. Both count towards the target. */
export function reversedSoFar({ reversals }: Pick<InvoiceFact, "reversals">): {
  credits: bigint;
  shortfall: bigint;
} {
  return {
    credits: -sum(reversals.map(({ amount }) => amount)),
    shortfall: sum(reversals.map(({ shortfall }) => shortfall)),
  };
}

/** The later state and the larger amount of the two: the same whichever came first. */
export function mergeReturn(known: ReturnFact | undefined, told: ReturnFact): ReturnFact {
  if (!known) return told;
  const later = RETURN_STATES.indexOf(told.state) > RETURN_STATES.indexOf(known.state);
  return {
    ...known,
    amount: larger(told.amount, known.amount),
    state: later ? told.state : known.state,
  };
}

type Named = Pick<ReturnFact, "kind" | "reference">;
export const isSameReturn = (one: Named, other: Named) =>
  one.kind === other.kind && one.reference === other.reference;

export type Step = { amount: bigint; shortfall: bigint };

/**
 * The entry that leads from what was reversed to the target; null where nothing is missing. With a floor at 0 a debit
 * takes no more than the balance holds, and the rest is a shortfall. What is given back ends the shortfall first.
 */
export function stepTowards(
  target: bigint,
  { credits, shortfall }: { credits: bigint; shortfall: bigint },
  balance: bigint | null,
): Step | null {
  const missing = target - credits - shortfall;
  if (missing === 0n) return null;
  if (missing > 0n) {
    const most = balance === null ? missing : balance > 0n ? balance : 0n;
    const taken = missing < most ? missing : most;
    return { amount: -taken, shortfall: missing - taken };
  }
  const released = -missing < shortfall ? -missing : shortfall;
  return { amount: -missing - released, shortfall: -released };
}
