import type { Sql } from "#db/client.ts";

export type GrantItem = {
  id: string;
  sourceId: string;
  account: string;
  subject: string;
  amount: string;
  workspaceId: string;
  workspaceName: string;
  paidAmount: string | null;
  paidCurrency: string | null;
  createdAt: string;
};

/** The latest grants, by their ids: UUIDs of version 7 are in order of time, and the primary key is there anyway. */
export async function listGrants(sql: Sql): Promise<{ items: GrantItem[]; now: string }> {
  const rows = await sql<(GrantItem & { now: string })[]>`
    select c.id, c.source_id as "sourceId", c.account, c.subject, c.amount::text, c.workspace_id as "workspaceId",
      w.name as "workspaceName", c.paid_amount::text as "paidAmount", c.paid_currency as "paidCurrency",
      c.created_at as "createdAt", now() as now
    from credit_entries c join workspaces w on w.id = c.workspace_id
    where c.operation = 'initial-credit-grant' order by c.id desc limit 50`;
  return { items: [...rows], now: rows[0]?.now ?? new Date().toISOString() };
}

export type InvoiceKey = { sourceId: string; account: string; subject: string };

/** Where an invoice id is known: usually one place, since ids of different accounts seldom meet. */
export async function findInvoices(sql: Sql, id: string): Promise<InvoiceKey[]> {
  return await sql<InvoiceKey[]>`
    select distinct source_id as "sourceId", account, subject from (
      select source_id, account, subject from inbox_events
      where subject = ${id} and (type like 'invoice.%' or type like 'TRANSACTION\\_%') order by received_at desc limit 500
    ) events
    order by 1, 2 limit 20`;
}
