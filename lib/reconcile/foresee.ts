import type { Tx } from "#db/client.ts";
import { initialCreditGrant, OPERATION } from "#lib/effects/initial-credit-grant.ts";
import type {
  EffectEvent,
  EntryFact,
  EntryNeed,
  Facts,
  LinkFact,
  LinkNeed,
  Need,
} from "#lib/effects/types.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import type { Candidate } from "./candidates.ts";
import type { Foreseen } from "./classify.ts";

/** The grant names its invoice itself. */
const UNRESOLVED = { payment: () => [] };

type LinkRow = LinkNeed & NonNullable<LinkFact> & { updatedAt: string };
type EntryRow = EntryNeed & NonNullable<EntryFact>;

/**
 * What the grant would decide on each object now: the same function as in live processing, so that a comparison and the
 * worker cannot come to think differently. A link that was changed after the grant is no difference: the grant was
 * right when it was made. Reads alone.
 */
export async function foreseeAll(
  tx: Tx,
  source: LoadedSource,
  candidates: readonly Candidate[],
): Promise<Map<Candidate, Foreseen>> {
  const read = candidates.map((candidate) => ({ candidate, ...readCandidate(source, candidate) }));
  const needs = read.flatMap(({ event, reading }) =>
    event && reading?.ok ? initialCreditGrant.needs(event, reading.input, UNRESOLVED) : [],
  );
  const [links, entries] = await Promise.all([loadLinks(tx, needs), loadEntries(tx, source.id, candidates)]);
  const results = read.map(({ candidate, event, reading }): [Candidate, Foreseen] => {
    const key = { sourceId: source.id, account: candidate.account };
    const entry = entries.get(keyOf({ ...key, subject: candidate.subject, operation: OPERATION })) ?? null;
    const hasEntry = entry !== null;
    if (!candidate.object.paid)
      return [
        candidate,
        { kind: "not_eligible", why: "the sender's books do not have it as paid", hasEntry },
      ];
    if (!event || !reading) return [candidate, hasEntry ? { kind: "agrees" } : { kind: "no_effect" }];
    if (!reading.ok) return [candidate, { kind: "held", why: reading.why }];
    const facts = {
      link: (need: LinkNeed) => linkAtGrant(links.get(linkKeyOf(need)), entry),
      entry: (need: EntryNeed) => entries.get(keyOf(need)) ?? null,
    } as unknown as Facts;
    const decision = initialCreditGrant.decide(event, reading.input, facts);
    return [candidate, toForeseen(decision, hasEntry)];
  });
  return new Map(results);
}

function readCandidate(source: LoadedSource, { judged, payload, account }: Candidate) {
  const tenantId = source.accounts.get(account)?.tenantId;
  if (!judged || payload === null || tenantId === undefined) return {};
  if (!initialCreditGrant.takes[source.kind]?.includes(judged.type)) return {};
  const event: EffectEvent = {
    id: "",
    kind: source.kind,
    sourceId: source.id,
    account,
    tenantId,
    mode: judged.mode,
    type: judged.type,
    eventId: judged.eventId,
    subject: judged.subject,
    payload,
    settings: source.settings,
  };
  return { event, reading: initialCreditGrant.read(event) };
}

function toForeseen(decision: ReturnType<typeof initialCreditGrant.decide>, hasEntry: boolean): Foreseen {
  const { why } = decision;
  switch (decision.kind) {
    case "already_applied":
      return { kind: "agrees" };
    case "not_eligible":
      return { kind: "not_eligible", why, hasEntry };
    case "wait":
      return { kind: "held", why };
    case "fail":
      return hasEntry ? { kind: "differs", why } : { kind: "held", why };
    case "applied":
      return { kind: "would_apply" };
    case "linked":
    case "stale":
      return { kind: "no_effect" };
    default:
      return decision satisfies never;
  }
}

/** Null for a link that became another one after the grant; the effect then compares all but the workspace. */
function linkAtGrant(link: LinkRow | undefined, entry: EntryRow | null): LinkFact {
  if (!link) return null;
  return entry && link.updatedAt > entry.at ? null : link;
}

const linkKeyOf = ({ sourceId, account, customer }: LinkNeed) =>
  JSON.stringify([sourceId, account, customer]);
const keyOf = ({ sourceId, account, subject, operation }: EntryNeed) =>
  JSON.stringify([sourceId, account, subject, operation]);

async function loadLinks(tx: Tx, needs: readonly Need[]): Promise<Map<string, LinkRow>> {
  const wanted = needs.filter((need) => need.kind === "link");
  if (wanted.length === 0) return new Map();
  const rows = await tx.unsafe<LinkRow[]>(LINKS, [JSON.stringify(wanted)]);
  return new Map(rows.map((row) => [linkKeyOf(row), row]));
}

const LINKS = `
select link.source_id as "sourceId", link.account, link.customer, workspace.id as "workspaceId",
  workspace.name as "workspaceName", workspace.tenant_id as "tenantId", workspace.contact,
  to_char(link.updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as "updatedAt"
from (select distinct "sourceId", account, customer
  from json_to_recordset($1::text::json) as need ("sourceId" text, account text, customer text)) need
join customer_links link on (link.source_id, link.account, link.customer) = (need."sourceId", need.account, need.customer)
join workspaces workspace on workspace.id = link.workspace_id`;

async function loadEntries(
  tx: Tx,
  sourceId: string,
  candidates: readonly Candidate[],
): Promise<Map<string, EntryRow>> {
  const keys = candidates.map(({ account, subject }) => ({ account, subject }));
  const rows = await tx.unsafe<EntryRow[]>(ENTRIES, [JSON.stringify(keys), sourceId, OPERATION]);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

const ENTRIES = `
select entry.source_id as "sourceId", entry.account, entry.subject, entry.operation, entry.amount,
  entry.workspace_id as "workspaceId", entry.paid_amount as "paidAmount", entry.paid_currency as "paidCurrency",
  entry.mode, entry.inbox_event_id as "byEventId", event.event_id as "byExternalId", event.type as "byType",
  to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as at
from (select distinct account, subject from json_to_recordset($1::text::json) as need (account text, subject text)) need
join credit_entries entry on (entry.source_id, entry.account, entry.subject, entry.operation)
  = ($2, need.account, need.subject, $3)
join inbox_events event on event.id = entry.inbox_event_id`;
