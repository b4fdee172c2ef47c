import type { Decision, EntryDraft, MessageDraft } from "#lib/effects/types.ts";
import type { BatchFacts } from "./facts.ts";
import type { Prepared } from "./prepare.ts";

/** What all effects of one event came to: done with a verdict each, or held as a whole. */
export type Ruling =
  | { kind: "done"; verdicts: EffectVerdict[] }
  | Extract<Decision, { kind: "wait" } | { kind: "fail" }>;

export type EffectVerdict = {
  effect: string;
  outcome: "applied" | "already_applied" | "not_eligible";
  why: string;
  byEventId: string | null;
  entry: EntryDraft | null;
  messages: MessageDraft[];
};

/**
 * Rules on one event. An event is done when all its effects are: one that waits or fails holds the others back, for
 * they commit together. Throws only through a fault in an effect.
 */
export function rule(prepared: Prepared, facts: BatchFacts): Ruling {
  const verdicts: EffectVerdict[] = [];
  for (const { effect, input } of prepared.effects) {
    const decision = effect.decide(prepared.event, input, facts);
    if (decision.kind === "wait" || decision.kind === "fail") return decision;
    verdicts.push(toVerdict(effect.name, decision));
  }
  foldEntries(prepared, verdicts, facts);
  return { kind: "done", verdicts };
}

function toVerdict(
  effect: string,
  decision: Exclude<Decision, { kind: "wait" } | { kind: "fail" }>,
): EffectVerdict {
  const { why } = decision;
  switch (decision.kind) {
    case "apply":
      return {
        effect,
        outcome: "applied",
        why,
        byEventId: null,
        entry: decision.entry,
        messages: decision.messages,
      };
    case "already_applied":
      return {
        effect,
        outcome: "already_applied",
        why,
        byEventId: decision.byEventId,
        entry: null,
        messages: [],
      };
    case "not_eligible":
      return { effect, outcome: "not_eligible", why, byEventId: null, entry: null, messages: [] };
    default:
      return decision satisfies never;
  }
}

/** Later events of the batch see what this one decided, as if it had been committed. */
function foldEntries({ event }: Prepared, verdicts: EffectVerdict[], facts: BatchFacts): void {
  for (const { entry } of verdicts) {
    if (!entry) continue;
    facts.setEntry(
      {
        sourceId: event.sourceId,
        account: event.account,
        subject: entry.subject,
        operation: entry.operation,
      },
      {
        amount: entry.amount,
        workspaceId: entry.workspaceId,
        paidAmount: entry.paidAmount,
        paidCurrency: entry.paidCurrency,
        mode: event.mode,
        byEventId: event.id,
        byExternalId: event.eventId,
        byType: event.type,
        at: "",
      },
    );
  }
}
