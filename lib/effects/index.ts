import type { SourceKind } from "#db/states.ts";
import { creditReversal } from "./credit-reversal.ts";
import { feedbackAlert } from "./feedback-alert.ts";
import { initialCreditGrant } from "./initial-credit-grant.ts";
import { subscriptionState } from "./subscription-state.ts";
import { transactionState } from "./transaction-state.ts";
import type { Effect } from "./types.ts";

/** Every business operation, the primary one of a type first. A new one is one file and one line here. */
export const EFFECTS: readonly Effect[] = [
  initialCreditGrant as Effect,
  creditReversal as Effect,
  feedbackAlert as Effect,
  subscriptionState as Effect,
  transactionState as Effect,
];

/**
 * The effects that take a type from a kind of sender; the first is the event's primary effect. `contract` is the sender
 * contract of contract-driven kinds: its catalogue of types may name an effect.
 */
export function effectsFor(kind: SourceKind, type: string, contract?: unknown): Effect[] {
  const named = effectNamed(contract, type);
  return EFFECTS.filter(
    (effect) =>
      effect.takes[kind]?.includes(type) || (effect.name === named && effect.takesByContract?.includes(kind)),
  );
}

export function takesType(kind: SourceKind, type: string, contract?: unknown): boolean {
  return effectsFor(kind, type, contract).length > 0;
}

function effectNamed(contract: unknown, type: string): string | undefined {
  const types = (contract as { types?: Record<string, { effect?: string }> } | null | undefined)?.types;
  return types && Object.hasOwn(types, type) ? types[type]?.effect : undefined;
}
