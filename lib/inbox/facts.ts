import type { Tx } from "#db/client.ts";
import type { EntryFact, EntryNeed, LinkFact, LinkNeed, Need, PaymentNeed } from "#lib/effects/types.ts";
import { BatchFacts } from "./batch-facts.ts";
import {
  ENTRIES,
  FEEDBACK,
  INVOICES,
  LINKS,
  LINKS_LOCKED,
  LOCK_WORKSPACES,
  PAYMENTS,
  PROJECTIONS,
  WORKSPACES,
} from "./fact-queries.ts";

type Kind = Need["kind"];
type Of<K extends Kind> = Omit<Extract<Need, { kind: K }>, "kind">;

/** Which invoices payments are linked to, before any lock: what an effect locks depends on it. */
export async function loadPayments(tx: Tx, needs: readonly PaymentNeed[]): Promise<BatchFacts> {
  const facts = new BatchFacts();
  if (needs.length === 0) return facts;
  const rows = await query<PaymentNeed & { invoice: string }>(tx, PAYMENTS, needs);
  for (const { invoice, ...need } of rows) facts.addPayment(need, invoice);
  return facts;
}

/**
 * Loads what a batch needs, one query per kind. With `lock`, the workspaces whose balances may move are locked in the
 * order of their ids for the rest of the transaction: two batches must not lock them in a circle. A batch of grants
 * alone locks them in the query that looks its links up; any other in one query over all that can lead to them.
 */
export async function loadFacts(
  tx: Tx,
  needs: readonly Need[],
  lock: boolean,
  resolved: BatchFacts,
): Promise<BatchFacts> {
  const facts = new BatchFacts();
  facts.keepPayments(resolved);
  const of = <K extends Kind>(kind: K) =>
    needs.filter((need) => need.kind === kind).map(({ kind: _, ...need }) => need) as unknown as Of<K>[];
  const [links, entries, invoices, workspaces] = [of("link"), of("entry"), of("invoice"), of("workspace")];
  const leads = invoices.length > 0 || workspaces.length > 0;
  if (lock && leads) {
    const parameters = [links, invoices, workspaces].map((list) => JSON.stringify(list));
    await tx.unsafe(LOCK_WORKSPACES, parameters, { prepare: true });
  }
  const [linked, entered] = await Promise.all([
    links.length > 0 ? query<LinkRow>(tx, lock && !leads ? LINKS_LOCKED : LINKS, links) : [],
    entries.length > 0 ? query<EntryNeed & NonNullable<EntryFact>>(tx, ENTRIES, entries) : [],
  ]);
  for (const row of linked) {
    facts.setLink(row, row);
    // A reversal in the same batch as its grant decides on the balance of the workspace that the grant will be in.
    const { workspaceId: id, workspaceName: name, tenantId, balance } = row;
    facts.setWorkspace({ id, name, tenantId, balance });
  }
  for (const row of entered) facts.setEntry(row, row);
  await loadInvoices(tx, facts, invoices, workspaces);
  await loadRest(tx, facts, of("projection"), of("feedback"));
  return facts;
}

type LinkRow = LinkNeed & NonNullable<LinkFact> & { balance: bigint };

/** Bigints travel as digits inside JSON. */
type InvoiceRow = Of<"invoice"> & {
  grant: {
    amount: string;
    workspaceId: string;
    paidAmount: string | null;
    paidCurrency: string | null;
  } | null;
  reversals: { operation: string; amount: string; shortfall: string; byEventId: string }[];
  returns: { kind: never; reference: string; payment: string; amount: string; state: never }[];
};

async function loadInvoices(
  tx: Tx,
  facts: BatchFacts,
  invoices: readonly Of<"invoice">[],
  workspaces: readonly Of<"workspace">[],
): Promise<void> {
  const rows = invoices.length > 0 ? await query<InvoiceRow>(tx, INVOICES, invoices) : [];
  for (const { grant, reversals, returns, ...need } of rows) {
    facts.setInvoice(need, {
      grant: grant && {
        ...grant,
        amount: BigInt(grant.amount),
        paidAmount: grant.paidAmount === null ? null : BigInt(grant.paidAmount),
      },
      reversals: reversals.map((row) => ({
        ...row,
        amount: BigInt(row.amount),
        shortfall: BigInt(row.shortfall),
      })),
      returns: returns.map((row) => ({ ...row, amount: BigInt(row.amount) })),
    });
  }
  const ids = new Set([
    ...workspaces.map(({ workspace }) => workspace),
    ...rows.flatMap(({ grant }) => grant?.workspaceId ?? []),
  ]);
  if (ids.size === 0) return;
  const found = await tx.unsafe(WORKSPACES, [[...ids]], { prepare: true });
  for (const row of found) facts.setWorkspace(row as never);
}

async function loadRest(
  tx: Tx,
  facts: BatchFacts,
  projections: readonly Of<"projection">[],
  feedback: readonly Of<"feedback">[],
): Promise<void> {
  if (projections.length > 0) {
    const rows = await query<Of<"projection"> & Parameters<BatchFacts["setProjection"]>[1]>(
      tx,
      PROJECTIONS,
      projections,
    );
    for (const row of rows) facts.setProjection(row, row);
  }
  if (feedback.length > 0) {
    const rows = await query<Of<"feedback"> & NonNullable<Parameters<BatchFacts["setFeedback"]>[1]>>(
      tx,
      FEEDBACK,
      feedback,
    );
    for (const row of rows) facts.setFeedback(row, row);
  }
}

async function query<Row>(tx: Tx, text: string, needs: readonly object[]): Promise<Row[]> {
  return (await tx.unsafe(text, [JSON.stringify(needs)], { prepare: true })) as unknown as Row[];
}

/**
 * Takes the transaction's locks on business keys, in one order for everybody. Released at commit or rollback, so a
 * lost connection cannot leave one behind, and a transaction pooler does no harm.
 */
export async function lockKeys(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.unsafe(LOCK, [keys as string[]], { prepare: true });
}

const LOCK = `
select pg_advisory_xact_lock(key) from (
  select distinct hashtextextended(text, 0) as key from unnest($1::text[]) as text order by 1
) keys`;
