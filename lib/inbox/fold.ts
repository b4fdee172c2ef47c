import { isSameReturn } from "#lib/effects/reversal-target.ts";
import type { Changes, EffectEvent, EntryDraft, ProjectionDraft } from "#lib/effects/types.ts";
import type { BatchFacts } from "./batch-facts.ts";

const GRANT = "initial-credit-grant";

/** Makes the facts of a batch what they would be if these changes had been committed. */
export function foldChanges(event: EffectEvent, changes: Changes, facts: BatchFacts): void {
  for (const entry of changes.entries ?? []) foldEntry(event, entry, facts);
  for (const { invoice, ...told } of changes.returns ?? []) {
    const need = { sourceId: event.sourceId, account: event.account, invoice };
    const known = facts.invoice(need);
    const others = known.returns.filter((entry) => !isSameReturn(entry, told));
    facts.setInvoice(need, { ...known, returns: [...others, told] });
  }
  for (const projection of changes.projections ?? []) foldProjection(event, projection, facts);
  for (const { feedbackId, alert } of changes.feedback ?? []) {
    const need = { sourceId: event.sourceId, account: event.account, feedback: feedbackId };
    const known = facts.feedback(need);
    facts.setFeedback(need, {
      byEventId: known?.byEventId ?? event.id,
      alerts: [...(known?.alerts ?? []), ...(alert ? [{ operation: alert, byEventId: event.id }] : [])],
    });
  }
}

function foldEntry(event: EffectEvent, entry: EntryDraft, facts: BatchFacts): void {
  const key = { sourceId: event.sourceId, account: event.account };
  const { subject, operation, amount, workspaceId, paidAmount, paidCurrency } = entry;
  facts.setEntry(
    { ...key, subject, operation },
    {
      amount,
      workspaceId,
      paidAmount,
      paidCurrency,
      mode: event.mode,
      byEventId: event.id,
      byExternalId: event.eventId,
      byType: event.type,
      at: "",
    },
  );
  const invoice = { ...key, invoice: subject };
  if (operation === GRANT || facts.hasInvoice(invoice)) {
    const known = facts.invoice(invoice);
    const reversal = { operation, amount, shortfall: entry.shortfall ?? 0n, byEventId: event.id };
    facts.setInvoice(
      invoice,
      operation === GRANT
        ? { ...known, grant: { amount, workspaceId, paidAmount, paidCurrency } }
        : { ...known, reversals: [...known.reversals, reversal] },
    );
  }
  const workspace = facts.workspace({ workspace: workspaceId });
  if (workspace) facts.setWorkspace({ ...workspace, balance: workspace.balance + amount });
}

function foldProjection(event: EffectEvent, draft: ProjectionDraft, facts: BatchFacts): void {
  if (!draft.state) return;
  const need = {
    sourceId: event.sourceId,
    account: event.account,
    projection: draft.kind,
    id: draft.id,
  };
  const { status, version, statedAt } = draft.state;
  const { fetched } = facts.projection(need);
  facts.setProjection(need, { fetched, status, version, statedAt, source: "event", byEventId: event.id });
}
