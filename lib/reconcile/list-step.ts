import type { Sql, Tx } from "#db/client.ts";
import type { Mode } from "#db/states.ts";
import type { ListedAccount, Listing, SenderClient, SenderObject } from "#lib/recovery/types.ts";
import type { LoadedSource } from "#lib/sources/load.ts";
import { spellAccountOf } from "./candidates.ts";
import { compareObjects, type Subjects } from "./compare.ts";
import { commitStep, type Lease } from "./lease.ts";
import type { Progress } from "./progress.ts";
import { type FoundGap, writeGaps } from "./write-gaps.ts";

export type RunContext = Subjects & {
  client: SenderClient;
  /** Whose lists are asked for, in order. */
  accounts: readonly ListedAccount[];
  /** The mode that the key is for; null: every one. */
  mode: Mode | null;
};

type ListProgress = Extract<Progress, { phase: "list" }>;

/** One page of the sender's list: asked for outside any transaction, then compared and kept in one. */
export async function stepList(
  sql: Sql,
  lease: Lease,
  context: RunContext,
  progress: ListProgress,
  signal: AbortSignal,
): Promise<void> {
  const { client, accounts, source } = context;
  const listing = client.listings[progress.listing];
  if (!listing) return commitStep(sql, lease, { phase: "entries", cursor: null }, async () => ({}));
  const oldest = listing.reach === null ? lease.from : lease.now - listing.reach;
  const warnings = oldest > lease.from && isOnlyWay(client) ? [tooOld(listing)] : [];
  const window = { from: Math.max(lease.from, oldest), to: lease.to };
  const account = accounts[progress.account] ?? null;
  const isEmpty = window.from >= window.to || progress.account >= accounts.length;
  const page = isEmpty
    ? { objects: [], next: null }
    : await client.list(listing.name, account, window, progress.cursor, signal);

  await commitStep(sql, lease, nextOf(progress, page.next, accounts.length), async (tx) => {
    // The books decide first; an event of what they showed only lends its body to the repair.
    const seen = await findSeen(tx, lease, source, page.objects);
    const compared = await compareObjects(
      tx,
      context,
      page.objects.filter((object) => !seen(object)),
    );
    const again = await compareObjects(
      tx,
      context,
      page.objects.filter((object) => seen(object)),
    );
    await lendBodies(tx, lease, again.gaps);
    const gapsFound = await writeGaps(tx, { id: lease.id, sourceId: source.id }, compared.gaps);
    await rememberSeen(tx, lease, compared.candidates);
    if (page.next === null && !isEmpty) warnings.push(...(await suspectEmpty(tx, lease, context, account)));
    return {
      pages: isEmpty ? 0 : 1,
      objects: compared.candidates.length,
      gapsFound,
      warnings: [...warnings, ...compared.warnings],
    };
  });
}

/** No other listing reaches further back. */
const isOnlyWay = (client: SenderClient) => client.listings.every(({ reach }) => reach !== null);

const tooOld = ({ name, reach }: Listing) =>
  `the sender's list of ${name} reaches back ${Math.round(reach! / 86_400_000)} days: what is older cannot be compared any more`;

function nextOf(progress: ListProgress, cursor: string | null, accounts: number): Progress {
  if (cursor !== null) return { ...progress, cursor };
  const isLast = progress.account + 1 >= accounts;
  return {
    phase: "list",
    listing: isLast ? progress.listing + 1 : progress.listing,
    account: isLast ? 0 : progress.account + 1,
    cursor: null,
  };
}

/** Tells whether an earlier page or listing of this run showed an object. */
async function findSeen(
  tx: Tx,
  lease: Lease,
  source: LoadedSource,
  objects: readonly SenderObject[],
): Promise<(object: SenderObject) => boolean> {
  const rows = await tx<{ account: string; subject: string }[]>`
    select account, subject from reconciliation_seen
    where run_id = ${lease.id} and subject = any(${objects.map(({ subject }) => subject)}::text[])`;
  const keys = new Set(rows.map(({ account, subject }) => JSON.stringify([account, subject])));
  return (object) => keys.has(JSON.stringify([spellAccountOf(source, object), object.subject]));
}

async function rememberSeen(
  tx: Tx,
  lease: Lease,
  candidates: readonly { account: string; subject: string }[],
): Promise<void> {
  const rows = candidates.map(({ account, subject }) => ({ account, subject }));
  await tx`
    insert into reconciliation_seen (run_id, account, subject)
    select ${lease.id}, account, subject
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as seen (account text, subject text)
    on conflict do nothing`;
}

/** The sender's own event has the key of the late webhook: a repair with it makes that webhook a plain duplicate. */
async function lendBodies(tx: Tx, lease: Lease, gaps: readonly FoundGap[]): Promise<void> {
  for (const gap of gaps) {
    if (gap.class !== "no_receipt" || !gap.receipt) continue;
    await tx`
      update reconciliation_gaps set receipt_body = ${gap.receipt.body}, receipt_headers = ${tx.json(gap.receipt.headers)}
      where source_id = ${lease.sourceId} and account = ${gap.account} and subject = ${gap.subject}
        and class = 'no_receipt' and status = 'open' and last_run_id = ${lease.id}`;
  }
}

/** Receipts in the window, or as long before it, from which nothing in the list of that time is suspicious. */
const BUSY = 3;

/** A list that is empty where receipts came is no proof that nothing is missing. */
async function suspectEmpty(
  tx: Tx,
  lease: Lease,
  { source, recovery }: RunContext,
  account: ListedAccount,
): Promise<string[]> {
  const base = account ?? source.ownBase;
  const isAll = !recovery.perAccount;
  const [row] = await tx<{ seen: boolean; receipts: number }[]>`
    select exists (select from reconciliation_seen where run_id = ${lease.id}
        and (${isAll} or account in (${base}, ${`${base}~test`}))) as seen,
      (select count(*)::int from (
        select from inbox_events where source_id = ${source.id} and origin = 'webhook' and status <> 'quarantined'
          and received_at >= ${lease.windowFrom}::timestamptz
            - least(${lease.windowTo}::timestamptz - ${lease.windowFrom}::timestamptz, interval '7 days')
          and received_at < ${lease.windowTo}::timestamptz
          and (${isAll} or account in (${base}, ${`${base}~test`}))
        limit ${BUSY}) newest) as receipts`;
  if (row!.seen || row!.receipts < BUSY) return [];
  const whose = isAll ? "this source" : `account ${base}`;
  return [`the sender's list is empty, although receipts of ${whose} came in this time or shortly before`];
}
