import { fail } from "./keys.ts";
import type { MoneyBack, ToldReturn } from "./money-back.ts";
import {
  isSameReturn,
  mergeReturn,
  moneyReturned,
  reversalTarget,
  reversedSoFar,
  stepTowards,
} from "./reversal-target.ts";
import type {
  Decision,
  EffectEvent,
  EntryDraft,
  Facts,
  IntentDraft,
  InvoiceFact,
  ReturnFact,
  WorkspaceFact,
} from "./types.ts";

type Told = MoneyBack & { invoice: string };
type Grant = { amount: bigint; workspaceId: string; paidAmount: bigint; paidCurrency: string };

/** The reversal of one invoice, whose facts are locked. */
export function decideReversal(event: EffectEvent, told: Told, facts: Facts): Decision {
  const known = facts.invoice({ sourceId: event.sourceId, account: event.account, invoice: told.invoice });
  const { invoice } = told;
  if (!known.grant) {
    const why = `the grant of ${invoice} has not been made yet`;
    return { kind: "wait", waitsKind: "event", waitsKey: invoice, why, subject: invoice };
  }
  const { paidAmount, paidCurrency } = known.grant;
  if (paidAmount === null || paidCurrency === null)
    return fail("mismatch", `the grant of ${invoice} does not say what was paid`);
  const grant: Grant = { ...known.grant, paidAmount, paidCurrency };
  const workspace = facts.workspace({ workspace: grant.workspaceId });
  if (!workspace) return fail("mismatch", `the workspace ${grant.workspaceId} of the grant is not there`);
  const refusal = refuse(told, grant, known);
  if (refusal) return refusal;
  return { ...reverse(event, told, grant, known, workspace), subject: invoice };
}

function refuse(told: Told, grant: Grant, known: InvoiceFact): Decision | null {
  if (told.currency !== grant.paidCurrency)
    return fail("mismatch", `it is in ${told.currency}, and the invoice was paid in ${grant.paidCurrency}`);
  for (const news of told.returns) {
    if (news.unclear && news.amount < grant.paidAmount)
      return fail("invalid", "it says neither which refund it is, nor that its amount is the total");
    const before = known.returns.find((entry) => isSameReturn(entry, news));
    if (news.kind === "refund" && before && before.amount !== news.amount)
      return fail(
        "mismatch",
        `${news.reference} was told before with ${before.amount}, now with ${news.amount}`,
      );
  }
  return null;
}

/** Takes the news one by one: each moves the target, and has the entry that leads there. */
function reverse(
  event: EffectEvent,
  told: Told,
  grant: Grant,
  known: InvoiceFact,
  workspace: NonNullable<WorkspaceFact>,
): Decision {
  let returns = known.returns;
  const reversals = [...known.reversals];
  const entries: EntryDraft[] = [];
  const causes: string[] = [];
  let balance = event.settings.negativeBalances === "floor" ? workspace.balance : null;
  for (const { cause, unclear: _, ...news } of told.returns) {
    const merged = mergeReturn(
      returns.find((entry) => isSameReturn(entry, news)),
      { ...news, payment: told.payments[0]! },
    );
    returns = [...returns.filter((entry) => !isSameReturn(entry, merged)), merged];
    const step = stepTowards(reversalTarget(grant, returns), reversedSoFar({ reversals }), balance);
    if (!step) continue;
    const operation = nameOperation({ cause, ...news }, reversals);
    reversals.push({ operation, ...step, byEventId: event.id });
    if (balance !== null) balance += step.amount;
    causes.push(cause);
    entries.push({
      subject: told.invoice,
      operation,
      ...step,
      workspaceId: workspace.id,
      paidAmount: null,
      paidCurrency: null,
      confirmationOmitted: null,
    });
  }
  const changes = {
    entries,
    returns: returns
      .filter((entry) => !known.returns.some((before) => isUnchanged(before, entry)))
      .map((entry) => ({ ...entry, invoice: told.invoice })),
    links: told.links,
    intents: entries
      .map((entry, at) => announce(event, entry, workspace, causes[at]!))
      .filter(({ data }) => data.credits !== 0n),
  };
  const last = known.reversals.at(-1);
  const state = `${moneyReturned(returns)} of ${grant.paidAmount} ${grant.paidCurrency} went back`;
  if (entries.length > 0)
    return { kind: "applied", why: `${tell(entries, workspace.name)}: ${state}`, changes };
  if (last)
    return {
      kind: "already_applied",
      byEventId: last.byEventId,
      why: `the credits that were taken back are right as they are: ${state}`,
      changes,
    };
  return { kind: "not_eligible", why: `there is nothing to take back: ${state}`, changes };
}

const isUnchanged = (before: ReturnFact, after: ReturnFact) =>
  isSameReturn(before, after) && before.amount === after.amount && before.state === after.state;

/** `credit-reversal:re_1`, `…:re_1:failed`, `…:dp_1`, `…:dp_1:won`, `…:charge:1500`; one that is taken gets a number. */
function nameOperation(
  { kind, reference, amount, state }: ToldReturn,
  taken: { operation: string }[],
): string {
  const base = `credit-reversal:${kind === "total" ? `charge:${amount}` : reference}`;
  const name = state === "failed" || state === "won" ? `${base}:${state}` : base;
  const isTaken = (candidate: string) => taken.some(({ operation }) => operation === candidate);
  if (!isTaken(name)) return name;
  let number = 2;
  while (isTaken(`${name}:${number}`)) number++;
  return `${name}:${number}`;
}

function tell(entries: readonly EntryDraft[], workspace: string): string {
  const amount = entries.reduce((sum, entry) => sum + entry.amount, 0n);
  const shortfall = entries.reduce((sum, entry) => sum + (entry.shortfall ?? 0n), 0n);
  const moved =
    amount > 0n
      ? `${amount} credits given back to ${workspace}`
      : `${-amount} credits taken back from ${workspace}`;
  return shortfall > 0n
    ? `${moved}, and ${shortfall} more could not be, for its balance may not fall below 0`
    : moved;
}

/** What subscribers are told of an entry that moved credits. */
export function announce(
  { id, sourceId, account }: EffectEvent,
  { subject, operation, amount }: EntryDraft,
  workspace: { id: string; name: string },
  cause: string,
): IntentDraft & { topic: "credit.reversed" } {
  return {
    topic: "credit.reversed",
    purpose: "notification",
    operation,
    subject,
    data: {
      source: sourceId,
      account,
      invoice: subject,
      operation,
      event: id,
      workspace: { id: workspace.id, name: workspace.name },
      credits: amount,
      cause,
    },
  };
}
