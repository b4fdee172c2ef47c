/** Tables of the hand-written job handlers: the same ledger as ours, without what only the inbox needs. */
export const GRANT_SCHEMA = `
create table workspaces (id text primary key, name text not null, contact text, credit_balance bigint not null default 0);
create table customer_links (customer text primary key, workspace_id text not null references workspaces);
create table credit_entries (
  id uuid primary key default gen_random_uuid(),
  subject text not null,
  operation text not null,
  amount bigint not null,
  workspace_id text not null references workspaces,
  created_at timestamptz not null default now(),
  unique (subject, operation)
);
create index on credit_entries (workspace_id, created_at);
create table outbox_messages (
  id uuid primary key default gen_random_uuid(),
  operation_key text not null unique,
  destination text not null,
  content jsonb not null,
  status text not null default 'pending',
  created_at timestamptz not null default now()
);
create index on outbox_messages (created_at) where status = 'pending'`;

/**
 * The whole grant as one statement, which is one round trip and one commit: better than most would write it. The entry
 * is made once per invoice; only then does the balance move and a message exist.
 */
export const GRANT = `
with link as (
  select workspace.id, workspace.name, workspace.contact from customer_links join workspaces workspace on workspace.id = workspace_id
  where customer = $2
), created as (
  insert into credit_entries (subject, operation, amount, workspace_id)
  select $1, 'initial-credit-grant', 100, id from link
  on conflict (subject, operation) do nothing
  returning subject, amount, workspace_id
), moved as (
  update workspaces set credit_balance = credit_balance + created.amount from created where workspaces.id = workspace_id
)
insert into outbox_messages (operation_key, destination, content)
select created.subject || ' confirmation', contact,
  jsonb_build_object('subject', '100 credits for ' || name, 'text', 'Invoice ' || created.subject || ' was paid.')
from created join link on link.id = workspace_id
on conflict (operation_key) do nothing`;

type PaidInvoice = {
  data: { object: { id: string; customer: string; status: string; amount_paid: number } };
};

/** What the statement needs of an event, after the checks that nobody leaves out. */
export function grantOf(payload: unknown): { name: string; text: string; values: string[] } {
  const { object } = (payload as PaidInvoice).data;
  if (object.status !== "paid" || object.amount_paid === 0) throw new Error("not eligible");
  return { name: "grant", text: GRANT, values: [object.id, object.customer] };
}
