import type { Sql } from "#db/client.ts";
import type { EntryItem, InvoiceTrace, ReceiptItem } from "#lib/trace/types.ts";
import { money } from "./text.ts";

export const grantOf = (trace: InvoiceTrace): EntryItem | undefined =>
  trace.items.find(
    (item): item is EntryItem => item.kind === "entry" && item.operation === "initial-credit-grant",
  );

export function paidAmount(trace: InvoiceTrace): string | null {
  const grant = grantOf(trace);
  return grant?.paidAmount && grant.paidCurrency ? money(grant.paidAmount, grant.paidCurrency) : null;
}

export type ReplayChoice = { id: string; label: string };

/** The receipts that can be replayed: first the one that made the grant, then the newest. */
export function replayChoices(trace: InvoiceTrace): ReplayChoice[] {
  const grantedBy = grantOf(trace)?.event;
  return trace.items
    .filter((item): item is ReceiptItem => item.kind === "receipt")
    .toReversed()
    .toSorted((a, b) => Number(b.id === grantedBy) - Number(a.id === grantedBy))
    .slice(0, 20)
    .map(({ id, type, eventId }) => ({ id, label: `${type}, ${eventId}` }));
}

/** The balance as it is now; the trace itself tells only what this invoice did. */
export async function loadBalance(sql: Sql, workspace: string): Promise<string | null> {
  const [row] = await sql<{ balance: string }[]>`
    select credit_balance::text as balance from workspaces where id = ${workspace}`;
  return row?.balance ?? null;
}
