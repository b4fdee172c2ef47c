import type { Sql } from "#db/client.ts";
import { describeSource, type SourceView } from "#lib/admin/describe-source.ts";
import { judgeSecrets, type SecretHealth } from "#lib/admin/secret-health.ts";
import { type CaptureItem, listCaptures } from "#lib/api/reads/list-captures.ts";
import type { ChecklistItem, SenderContract } from "#lib/sources/contract-schema.ts";
import { adapterOf } from "#lib/sources/index.ts";
import type { AuditRow } from "./event.ts";
import { loadActivity } from "./source-activity.ts";
import type { SourceActivity } from "./source-state.ts";

export type Confirmation = { item: ChecklistItem; by: string; at: string; reason: string | null };

export type SourcePage = {
  source: SourceView;
  /** The document in force with every default, also where the source follows the preset; null for kinds without one. */
  contract: SenderContract | null;
  hasContract: boolean;
  hasChecklist: boolean;
  health: SecretHealth[];
  activity: SourceActivity;
  captures: CaptureItem[];
  confirmations: Confirmation[];
  /** Events that wait for the contract. */
  waiting: number;
  audit: AuditRow[];
  now: string;
};

export const CAPTURES_SHOWN = 20;

/** A source with everything that its page shows, or null. Not from a replica: it is looked at right after a change. */
export async function loadSourcePage(
  sql: Sql,
  keys: readonly Buffer[],
  id: string,
): Promise<SourcePage | null> {
  const source = await describeSource(sql, id);
  if (!source) return null;
  const adapter = adapterOf(source.kind);
  const checked = adapter?.checkContract?.(source.contract);
  const [health, activity, captures, audit, confirmations, waiting] = await Promise.all([
    judgeSecrets(sql, keys, [source]),
    loadActivity(sql, [id]),
    listCaptures(sql, id, CAPTURES_SHOWN, null),
    loadAudit(sql, id),
    adapter?.hasChecklist ? loadConfirmations(sql, id) : [],
    countWaiting(sql, id),
  ]);
  return {
    source,
    contract: checked?.ok ? (checked.contract as SenderContract) : null,
    hasContract: checked !== undefined,
    hasChecklist: adapter?.hasChecklist === true,
    health: health.get(id)!,
    activity: activity.of.get(id)!,
    captures: captures.items,
    confirmations,
    waiting,
    audit,
    now: activity.now,
  };
}

async function loadAudit(sql: Sql, id: string): Promise<AuditRow[]> {
  const rows = await sql<AuditRow[]>`
    select id::text, at, actor, action, reason from audit_entries
    where target = ${`source:${id}`} order by audit_entries.id desc limit 12`;
  return [...rows];
}

/** Who confirmed what, newest last; an item that came in with a whole document has none. */
async function loadConfirmations(sql: Sql, id: string): Promise<Confirmation[]> {
  const rows = await sql<Confirmation[]>`
    select after->>'item' as item, actor as by, at, reason from audit_entries
    where target = ${`source:${id}`} and action = 'source.confirm' order by id`;
  return [...rows];
}

async function countWaiting(sql: Sql, id: string): Promise<number> {
  const [row] = await sql<{ waiting: number }[]>`
    select count(*)::int as waiting from inbox_events
    where source_id = ${id} and status = 'waiting' and waits_kind = 'contract'`;
  return row!.waiting;
}
