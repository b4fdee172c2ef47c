import type { Executor } from "#lib/executor.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toJsonInteger } from "../integers.ts";
import { toIsoTime } from "../iso-time.ts";

type Integer = number | string;

export type EntryItem = {
  id: string;
  source: string;
  account: string;
  subject: string;
  operation: string;
  amount: Integer;
  /** Credits that a reversal was to take and could not: the source's floor left them. */
  shortfall: Integer;
  event: string;
  paidAmount: Integer | null;
  paidCurrency: string | null;
  confirmationOmitted: string | null;
  createdAt: string;
};

export type WorkspaceDetail = {
  id: string;
  tenant: string;
  name: string;
  contact: string | null;
  creditBalance: Integer;
  entries: Page<EntryItem>;
};

type Row = Omit<EntryItem, "amount" | "shortfall" | "paidAmount"> & {
  amount: bigint;
  shortfall: bigint;
  paidAmount: bigint | null;
};

/** A workspace with a page of its entries, newest first; null when there is none. */
export async function getWorkspace(
  sql: Executor,
  id: string,
  limit: number,
  after: Position | null,
): Promise<WorkspaceDetail | null> {
  const [workspace] = await sql<(Omit<WorkspaceDetail, "creditBalance" | "entries"> & { balance: bigint })[]>`
    select id, tenant_id as tenant, name, contact, credit_balance as balance from workspaces where id = ${id}`;
  if (!workspace) return null;
  const rows = await sql<Row[]>`
    select id, source_id as source, account, subject, operation, amount, shortfall, inbox_event_id as event,
      paid_amount as "paidAmount", paid_currency as "paidCurrency", confirmation_omitted as "confirmationOmitted",
      created_at as "createdAt"
    from credit_entries
    where workspace_id = ${id}
      ${after ? sql`and (created_at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by created_at desc, id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.createdAt, id: row.id }));
  const { balance, ...rest } = workspace;
  return {
    ...rest,
    creditBalance: toJsonInteger(balance),
    entries: { ...page, items: page.items.map(toItem) },
  };
}

function toItem(row: Row): EntryItem {
  return {
    ...row,
    amount: toJsonInteger(row.amount),
    shortfall: toJsonInteger(row.shortfall),
    paidAmount: row.paidAmount === null ? null : toJsonInteger(row.paidAmount),
    createdAt: toIsoTime(row.createdAt),
  };
}
