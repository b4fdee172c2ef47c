import type { Sql, Tx } from "#db/client.ts";
import { OPERATION } from "#lib/effects/initial-credit-grant.ts";
import type { SenderObject } from "#lib/recovery/types.ts";
import { compareObjects } from "./compare.ts";
import { commitStep, type Lease } from "./lease.ts";
import type { RunContext } from "./list-step.ts";
import type { Progress } from "./progress.ts";
import { type FoundGap, writeGaps } from "./write-gaps.ts";

type EntryRow = {
  id: string;
  account: string;
  subject: string;
  createdAt: string;
  at: number;
  seen: boolean;
  /** Statuses of its messages that are neither sent nor under way. */
  unsent: string[];
};

/** Entries a page; each that the list did not show is one call. */
const PAGE = 50;
/** Seconds in which a message may be on its way. */
const UNDER_WAY = 3_600;

/** A page of our own entries: those that the list did not show are looked up one by one, then all are compared. */
export async function stepEntries(
  sql: Sql,
  lease: Lease,
  context: RunContext,
  progress: Extract<Progress, { phase: "entries" }>,
  signal: AbortSignal,
): Promise<void> {
  const { source, client } = context;
  const rows = context.recovery.lists === "objects" ? await loadPage(sql, lease, progress.cursor) : [];
  const unseen = rows.filter(({ seen }) => !seen);
  const found = new Map<string, SenderObject>();
  const skipped = new Set<string>();
  for (const account of new Set(unseen.map((row) => row.account))) {
    const asked = askedAs(context, account);
    const mine = unseen.filter((row) => row.account === account);
    if (asked === undefined) for (const row of mine) skipped.add(row.id);
    else {
      const near = { from: Math.min(...mine.map(({ at }) => at)), to: Math.max(...mine.map(({ at }) => at)) };
      const answer = await client.find(
        mine.map(({ subject }) => subject),
        asked,
        near,
        signal,
      );
      for (const [subject, object] of answer) found.set(JSON.stringify([account, subject]), object);
    }
  }
  const last = rows.at(-1);
  const next: Progress =
    rows.length === PAGE && last
      ? { phase: "entries", cursor: [last.createdAt, last.id] }
      : { phase: "repair", cursor: null };
  await commitStep(sql, lease, next, async (tx) => {
    const compared = await compareObjects(tx, context, [...found.values()]);
    const unknown = unseen
      .filter((row) => !skipped.has(row.id) && !found.has(JSON.stringify([row.account, row.subject])))
      .map((row) => toUnknown(row));
    const unsent = rows.filter((row) => row.unsent.length > 0).map((row) => toUnsent(row));
    const gapsFound = await writeGaps(tx, { id: lease.id, sourceId: source.id }, [
      ...compared.gaps.map((gap) => datedByEntry(gap, rows)),
      ...unknown,
      ...unsent,
    ]);
    return { entries: rows.length, gapsFound, warnings: compared.warnings };
  });
}

/** How the account of an entry is asked for; undefined when the key is for another mode. */
function askedAs({ accounts, recovery, source, mode }: RunContext, account: string) {
  if (mode !== null && (mode === "test") !== account.endsWith("~test")) return undefined;
  if (!recovery.perAccount) return null;
  const base = account.replace(/~test$/, "");
  const asked = base === source.ownBase ? null : base;
  return accounts.includes(asked) ? asked : undefined;
}

/** A gap that an entry of this window showed closes with a pass over this window, whenever its object was paid. */
function datedByEntry(gap: FoundGap, rows: readonly EntryRow[]): FoundGap {
  const row = rows.find(({ account, subject }) => account === gap.account && subject === gap.subject);
  return row ? { ...gap, happenedAt: row.at } : gap;
}

const base = ({ account, subject, at }: EntryRow) =>
  ({ account, subject, happenedAt: at, repairable: false, receipt: null, deliveryId: null }) as const;

function toUnknown(row: EntryRow): FoundGap {
  return {
    ...base(row),
    class: "effect_without_paid_object",
    why: "credits were granted, and the sender does not know it",
  };
}

function toUnsent(row: EntryRow): FoundGap {
  return {
    ...base(row),
    class: "intent_unsent",
    why: `credits were granted, and a message about it is ${[...new Set(row.unsent)].join(" and ")}`,
  };
}

async function loadPage(
  sql: Sql | Tx,
  lease: Lease,
  cursor: readonly [string, string] | null,
): Promise<EntryRow[]> {
  return await sql<EntryRow[]>`
    select entry.id, entry.account, entry.subject, entry.created_at as "createdAt",
      (extract(epoch from entry.created_at) * 1000)::float8 as at,
      exists (select from reconciliation_seen seen
        where (seen.run_id, seen.account, seen.subject) = (${lease.id}::uuid, entry.account, entry.subject)) as seen,
      array(select message.status from outbox_messages message
        where (message.source_id, message.account, message.subject, message.operation)
            = (entry.source_id, entry.account, entry.subject, entry.operation)
          and (message.status in ('unknown', 'rejected', 'abandoned') or message.status in ('pending', 'sending')
            and message.created_at < now() - make_interval(secs => ${UNDER_WAY}))) as unsent
    from credit_entries entry
    where entry.source_id = ${lease.sourceId} and entry.operation = ${OPERATION}
      and entry.created_at >= ${lease.windowFrom} and entry.created_at < ${lease.windowTo}
      and (${cursor?.[0] ?? null}::timestamptz is null
        or (entry.created_at, entry.id) > (${cursor?.[0] ?? null}::timestamptz, ${cursor?.[1] ?? null}::uuid))
    order by entry.created_at, entry.id limit ${PAGE}`;
}
