import type { Sql } from "#db/client.ts";
import { isUuid } from "./inbox-filter.ts";
import { findInvoices } from "./invoices.ts";
import { eventHref, invoiceHref, workspaceHref } from "./links.ts";

export type Finding = { href: string; what: string; id: string; detail: string };

/**
 * Everything that an id could mean: invoice, event (the sender's id or ours), message, workspace. An id with one
 * meaning leads straight to its page.
 */
export async function findAnything(sql: Sql, id: string): Promise<Finding[]> {
  // PostgreSQL refuses NUL and lone surrogates in a text; nothing is stored under such an id.
  if (id === "" || id.length > 500 || id.includes("\u0000") || !id.isWellFormed()) return [];
  const [invoices, events, messages, workspaces] = await Promise.all([
    findInvoices(sql, id),
    sql<{ id: string; type: string; sourceId: string; account: string }[]>`
      select id, type, source_id as "sourceId", account from inbox_events
      where ${isUuid(id) ? sql`id = ${id}::uuid or event_id = ${id}` : sql`event_id = ${id}`}
        or (subject = ${id} and type not like 'invoice.%')
      order by received_at desc limit 20`,
    isUuid(id)
      ? sql<{ inboxEventId: string | null; topic: string; destination: string }[]>`
      select inbox_event_id as "inboxEventId", topic, destination from outbox_messages where id = ${id}::uuid`
      : [],
    sql<{ id: string; name: string }[]>`select id, name from workspaces where id = ${id}`,
  ]);
  return [
    ...invoices.map((key) => ({
      href: invoiceHref(key),
      what: "Invoice",
      id: key.subject,
      detail: `${key.sourceId}, ${key.account}`,
    })),
    ...events.map((event) => ({
      href: eventHref(event.id),
      what: "Event",
      id: event.id,
      detail: `${event.type}, ${event.sourceId}, ${event.account}`,
    })),
    ...messages
      .filter((message) => message.inboxEventId !== null)
      .map((message) => ({
        href: eventHref(message.inboxEventId!),
        what: "Message",
        id,
        detail: `${message.topic} to ${message.destination}`,
      })),
    ...workspaces.map((workspace) => ({
      href: workspaceHref(workspace.id),
      what: "Workspace",
      id: workspace.id,
      detail: workspace.name,
    })),
  ];
}
