import type { Sql } from "#db/client.ts";
import { toIsoTime } from "#lib/api/iso-time.ts";
import { loadEntries, loadLinks, loadMessages, loadNotes } from "./load-ledger.ts";
import {
  loadAttempts,
  loadConflicts,
  loadDeliveries,
  loadEffects,
  loadReceipts,
  MOST_ROWS,
} from "./load-receipts.ts";
import { tellInvoice } from "./sentence.ts";
import type { InvoiceKey, InvoiceTrace, TraceItem } from "./types.ts";

export type * from "./types.ts";

/** What shares a moment (one transaction writes with one clock) is told in the order of cause. */
const RANK: Record<TraceItem["kind"], number> = {
  receipt: 0,
  delivery: 1,
  conflict: 2,
  attempt: 3,
  replay: 3,
  effect: 4,
  entry: 5,
  link: 5,
  message: 6,
  note: 7,
};

/** The whole story of an invoice as of one moment; null when nothing is known about it. */
export async function loadInvoiceTrace(sql: Sql, key: InvoiceKey): Promise<InvoiceTrace | null> {
  return (await sql.begin("isolation level repeatable read read only", async (tx) => {
    const receipts = await loadReceipts(tx, key);
    const events = receipts.map(({ id }) => id);
    const entries = await loadEntries(tx, key);
    const messages = await loadMessages(tx, key);
    const lists: TraceItem[][] = [
      receipts.map(({ mode: _, ...receipt }) => receipt),
      await loadDeliveries(tx, events),
      await loadConflicts(tx, events),
      await loadAttempts(tx, events),
      await loadEffects(tx, events),
      entries,
      await loadLinks(tx, key),
      messages,
      await loadNotes(tx, key),
    ];
    const items = lists.flat().map(withIsoTimes).sort(compareItems);
    if (items.length === 0) return null;
    return {
      ...key,
      mode: receipts[0]?.mode ?? null,
      workspace: entries[0]?.workspace ?? null,
      sentence: tellInvoice(items),
      items,
      complete: lists.every((list) => list.length < MOST_ROWS),
    };
  })) as InvoiceTrace | null;
}

const TIMES = ["at", "nextAttemptAt", "finishedAt", "resolvedAt"] as const;

function withIsoTimes(item: TraceItem): TraceItem {
  const copy: Record<string, unknown> = { ...item };
  for (const name of TIMES) {
    const value = copy[name];
    if (typeof value === "string") copy[name] = toIsoTime(value);
  }
  return copy as TraceItem;
}

function compareItems(a: TraceItem, b: TraceItem): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return RANK[a.kind] - RANK[b.kind] || (a.id < b.id ? -1 : 1);
}
