import type { Outcome } from "#db/states.ts";
import type { Changes, Decision } from "#lib/effects/types.ts";
import type { BatchFacts } from "./batch-facts.ts";
import { foldChanges } from "./fold.ts";
import type { Prepared } from "./prepare.ts";

/** What all effects of one event came to: done with a verdict each, or held as a whole. */
export type Ruling =
  | { kind: "done"; verdicts: EffectVerdict[] }
  | Extract<Decision, { kind: "wait" } | { kind: "fail" }>;

export type EffectVerdict = {
  effect: string;
  outcome: Outcome;
  why: string;
  byEventId: string | null;
  changes: Changes;
  /** What the event turned out to be about, where that is not what its sender's object is called. */
  subject: string | null;
};

/**
 * Rules on one event. An event is done when all its effects are: one that waits or fails holds the others back, for
 * they commit together. Later events of the batch see what this one decided, as if it had been committed. Throws only
 * through a fault in an effect.
 */
export function rule(prepared: Prepared, facts: BatchFacts): Ruling {
  const verdicts: EffectVerdict[] = [];
  for (const { effect, input } of prepared.effects) {
    const decision = effect.decide(prepared.event, input, facts);
    if (decision.kind === "wait" || decision.kind === "fail") return decision;
    verdicts.push({
      effect: effect.name,
      outcome: decision.kind,
      why: decision.why,
      byEventId: decision.kind === "already_applied" ? decision.byEventId : null,
      changes: decision.changes ?? {},
      subject: decision.subject ?? null,
    });
  }
  for (const { changes } of verdicts) foldChanges(prepared.event, changes, facts);
  return { kind: "done", verdicts };
}
