import type { Executor } from "#lib/executor.ts";
import { MOST_ROWS, type Row } from "./load-receipts.ts";
import type { EntryItem, InvoiceKey, LinkItem, MessageItem, NoteItem } from "./types.ts";

export async function loadEntries(
  sql: Executor,
  { source, account, invoice }: InvoiceKey,
): Promise<EntryItem[]> {
  const rows = await sql<Row<EntryItem>[]>`
    select entry.id, entry.inbox_event_id as event, entry.created_at as at, entry.operation, entry.amount::text,
      entry.shortfall::text,
      json_build_object('id', workspace.id, 'name', workspace.name) as workspace,
      entry.paid_amount::text as "paidAmount", entry.paid_currency as "paidCurrency",
      entry.confirmation_omitted as "confirmationOmitted", null::text as why, null::float8 as "durationMs"
    from credit_entries entry join workspaces workspace on workspace.id = entry.workspace_id
    where (entry.source_id, entry.account, entry.subject) = (${source}, ${account}, ${invoice})
    order by entry.created_at, entry.id limit ${MOST_ROWS}`;
  return rows.map((row) => ({
    ...row,
    kind: "entry" as const,
    title: `${row.amount.startsWith("-") ? "" : "+"}${row.amount} credits for ${row.workspace.name}${tellShortfall(row.shortfall)}`,
  }));
}

function tellShortfall(shortfall: string | undefined): string {
  if (!shortfall || shortfall === "0") return "";
  return shortfall.startsWith("-")
    ? `, ${shortfall.slice(1)} less to take`
    : `, ${shortfall} more could not be taken`;
}

/** Which payments paid it, by the sender's ids. */
export async function loadLinks(
  sql: Executor,
  { source, account, invoice }: InvoiceKey,
): Promise<LinkItem[]> {
  const rows = await sql<Row<LinkItem>[]>`
    select 'link:' || payment as id, inbox_event_id as event, created_at as at, payment, null::text as why,
      null::float8 as "durationMs"
    from payment_links where (source_id, account, invoice) = (${source}, ${account}, ${invoice})
    order by created_at, payment limit ${MOST_ROWS}`;
  return rows.map((row) => ({
    ...row,
    kind: "link" as const,
    title: `Payment ${row.payment} belongs to it`,
  }));
}

export async function loadMessages(
  sql: Executor,
  { source, account, invoice }: InvoiceKey,
): Promise<MessageItem[]> {
  const rows = await sql<Row<MessageItem>[]>`
    select id, inbox_event_id as event, created_at as at, channel, destination, topic, operation, status,
      operation_key::json ->> 4 as purpose, last_error as why, finished_at as "finishedAt",
      extract(epoch from finished_at - created_at)::float8 * 1000 as "durationMs"
    from outbox_messages
    where (source_id, account, subject) = (${source}, ${account}, ${invoice})
    order by created_at, id limit ${MOST_ROWS}`;
  return rows.map((row) => ({
    ...row,
    kind: "message" as const,
    title: `${row.channel}, ${row.purpose}: ${row.status}`,
  }));
}

export async function loadNotes(
  sql: Executor,
  { source, account, invoice }: InvoiceKey,
): Promise<NoteItem[]> {
  const rows = await sql<Row<NoteItem>[]>`
    select id, null::text as event, created_at as at, author, text, null::text as why, null::float8 as "durationMs"
    from notes where (source_id, account, subject) = (${source}, ${account}, ${invoice})
    order by created_at, id limit ${MOST_ROWS}`;
  return rows.map((row) => ({ ...row, kind: "note" as const, title: `Note by ${row.author}` }));
}
