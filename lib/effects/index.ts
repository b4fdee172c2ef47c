import type { SourceKind } from "#db/states.ts";
import { initialCreditGrant } from "./initial-credit-grant.ts";
import type { Effect } from "./types.ts";

/** Every business operation, the primary one of a type first. A new one is one file and one line here. */
export const EFFECTS: readonly Effect[] = [initialCreditGrant as Effect];

/** The effects that take a type from a kind of sender; the first is the event's primary effect. */
export function effectsFor(kind: SourceKind, type: string): Effect[] {
  return EFFECTS.filter((effect) => effect.takes[kind]?.includes(type));
}

export function takesType(kind: SourceKind, type: string): boolean {
  return EFFECTS.some((effect) => effect.takes[kind]?.includes(type));
}
