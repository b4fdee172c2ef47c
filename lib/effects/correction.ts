import { fail } from "./keys.ts";
import type { Correction } from "./money-back.ts";
import { stepTowards } from "./reversal-target.ts";
import { announce } from "./reverse.ts";
import type { Decision, EffectEvent, EntryDraft, Facts } from "./types.ts";

/** A person's correction: one entry per key, in the workspace that it names. */
export function decideCorrection(
  event: EffectEvent,
  { workspace: id, amount }: Correction,
  facts: Facts,
): Decision {
  const workspace = facts.workspace({ workspace: id });
  if (!workspace) return fail("invalid", `there is no workspace ${id}`);
  if (workspace.tenantId !== event.tenantId)
    return fail("mismatch", `the workspace ${id} belongs to another tenant`);
  const key = event.eventId;
  const operation = `credit-reversal:${key}`;
  const there = facts.entry({
    sourceId: event.sourceId,
    account: event.account,
    subject: key,
    operation,
  });
  if (there) {
    const isSame = there.workspaceId === id && there.byEventId === event.id;
    if (!isSame) return fail("mismatch", `the key ${key} was used by another correction`);
    return { kind: "already_applied", byEventId: there.byEventId, why: "this correction was made" };
  }
  const floor = event.settings.negativeBalances === "floor" ? workspace.balance : null;
  const step = stepTowards(-amount, { credits: 0n, shortfall: 0n }, amount < 0n ? floor : null)!;
  const entry: EntryDraft = {
    subject: key,
    operation,
    ...step,
    workspaceId: id,
    paidAmount: null,
    paidCurrency: null,
    confirmationOmitted: null,
  };
  const left =
    step.shortfall > 0n
      ? `, and ${step.shortfall} more could not be, for its balance may not fall below 0`
      : "";
  const verb = amount > 0n ? "given to" : "taken from";
  const moved = step.amount < 0n ? -step.amount : step.amount;
  return {
    kind: "applied",
    why: `${moved} credits ${verb} ${workspace.name} by hand${left}`,
    changes: {
      entries: [entry],
      intents: step.amount === 0n ? [] : [announce(event, entry, workspace, "correction")],
    },
  };
}
