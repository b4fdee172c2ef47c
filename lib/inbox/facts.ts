import type { Tx } from "#db/client.ts";
import type { EntryFact, Facts, LinkFact, Need } from "#lib/effects/types.ts";

type LinkNeed = Omit<Extract<Need, { kind: "link" }>, "kind">;
type EntryNeed = Omit<Extract<Need, { kind: "entry" }>, "kind">;

const linkKey = (need: LinkNeed) => JSON.stringify([need.sourceId, need.account, need.customer]);
const entryKey = (need: EntryNeed) =>
  JSON.stringify([need.sourceId, need.account, need.subject, need.operation]);

/** The facts of a batch. Entries that an earlier row of the batch decided on are folded in for the later ones. */
export class BatchFacts implements Facts {
  #links = new Map<string, LinkFact>();
  #entries = new Map<string, EntryFact>();

  link(need: LinkNeed): LinkFact {
    return this.#links.get(linkKey(need)) ?? null;
  }

  entry(need: EntryNeed): EntryFact {
    return this.#entries.get(entryKey(need)) ?? null;
  }

  setLink(need: LinkNeed, fact: LinkFact): void {
    this.#links.set(linkKey(need), fact);
  }

  setEntry(need: EntryNeed, fact: EntryFact): void {
    this.#entries.set(entryKey(need), fact);
  }
}

/**
 * Loads what a batch needs, one query per kind. With `lock`, the workspaces are locked in the order of their ids for
 * the rest of the transaction: their balances will move, and two batches must not lock them in a circle.
 */
export async function loadFacts(tx: Tx, needs: readonly Need[], lock: boolean): Promise<BatchFacts> {
  const facts = new BatchFacts();
  const links = needs.filter((need) => need.kind === "link");
  const entries = needs.filter((need) => need.kind === "entry");
  if (links.length > 0) {
    const rows = await tx.unsafe(lock ? LINKS_LOCKED : LINKS, [JSON.stringify(links)], { prepare: true });
    for (const row of rows)
      facts.setLink(row as unknown as LinkNeed, row as unknown as NonNullable<LinkFact>);
  }
  if (entries.length > 0) {
    const rows = await tx.unsafe(ENTRIES, [JSON.stringify(entries)], { prepare: true });
    for (const row of rows)
      facts.setEntry(row as unknown as EntryNeed, row as unknown as NonNullable<EntryFact>);
  }
  return facts;
}

const LINKS = `
select link.source_id as "sourceId", link.account, link.customer, workspace.id as "workspaceId",
  workspace.name as "workspaceName", workspace.tenant_id as "tenantId", workspace.contact
from (select distinct "sourceId", account, customer
  from json_to_recordset($1::text::json) as need ("sourceId" text, account text, customer text)) need
join customer_links link on (link.source_id, link.account, link.customer) = (need."sourceId", need.account, need.customer)
join workspaces workspace on workspace.id = link.workspace_id
order by workspace.id`;

const LINKS_LOCKED = `${LINKS} for no key update of workspace`;

const ENTRIES = `
select entry.source_id as "sourceId", entry.account, entry.subject, entry.operation, entry.amount,
  entry.workspace_id as "workspaceId", entry.paid_amount as "paidAmount", entry.paid_currency as "paidCurrency",
  entry.mode, entry.inbox_event_id as "byEventId", event.event_id as "byExternalId", event.type as "byType",
  entry.created_at as at
from (select distinct "sourceId", account, subject, operation from json_to_recordset($1::text::json)
  as need ("sourceId" text, account text, subject text, operation text)) need
join credit_entries entry on (entry.source_id, entry.account, entry.subject, entry.operation)
  = (need."sourceId", need.account, need.subject, need.operation)
join inbox_events event on event.id = entry.inbox_event_id`;

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
