import type { Sql } from "#db/client.ts";

export type WorkspaceItem = {
  id: string;
  tenantId: string;
  name: string;
  contact: string | null;
  balance: string;
};

/** By id, beginning after one; or those whose id or name begins with a text. */
export async function listWorkspaces(sql: Sql, options: { after: string | null; q: string | null }) {
  const { after, q } = options;
  const rows = await sql<WorkspaceItem[]>`
    select id, tenant_id as "tenantId", name, contact, credit_balance::text as balance from workspaces
    where ${q ? sql`(starts_with(id, ${q}) or starts_with(lower(name), lower(${q})))` : sql`true`}
      ${after === null ? sql`` : sql`and id > ${after}`}
    order by id limit 51`;
  const items = rows.slice(0, 50);
  return { items, next: rows.length > 50 ? (items.at(-1)?.id ?? null) : null };
}

export type LedgerEntry = {
  id: string;
  operation: string;
  sourceId: string;
  account: string;
  subject: string;
  amount: string;
  /** Credits that a reversal was to take and could not: the source's floor left them. */
  shortfall: string;
  paidAmount: string | null;
  paidCurrency: string | null;
  inboxEventId: string;
  createdAt: string;
};

export type Ledger = WorkspaceItem & {
  now: string;
  sum: string;
  entries: LedgerEntry[];
  older: string | null;
};

/** A workspace with its newest entries. The sum is of all entries: the balance must equal it. */
export async function loadLedger(sql: Sql, id: string, before: string | null): Promise<Ledger | null> {
  const [[workspace], entries] = await Promise.all([
    sql<(WorkspaceItem & { now: string; sum: string })[]>`
      select w.id, w.tenant_id as "tenantId", w.name, w.contact, w.credit_balance::text as balance, now() as now,
        (select coalesce(sum(amount), 0)::text from credit_entries where workspace_id = w.id) as sum
      from workspaces w where w.id = ${id}`,
    sql<LedgerEntry[]>`
      select id, operation, source_id as "sourceId", account, subject, amount::text,
        shortfall::text,
        paid_amount::text as "paidAmount", paid_currency as "paidCurrency", inbox_event_id as "inboxEventId",
        created_at as "createdAt"
      from credit_entries where workspace_id = ${id}
        ${before === null ? sql`` : sql`and (created_at, id) < (select created_at, id from credit_entries where id = ${before}::uuid)`}
      order by created_at desc, id desc limit 51`,
  ]);
  if (!workspace) return null;
  const shown = entries.slice(0, 50);
  return { ...workspace, entries: shown, older: entries.length > 50 ? (shown.at(-1)?.id ?? null) : null };
}
