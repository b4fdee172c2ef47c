import type { Sql, Tx } from "#db/client.ts";
import { sqlState } from "#db/errors.ts";
import type { FailureClass, InboxStatus, SourceKind } from "#db/states.ts";
import { takesType } from "#lib/effects/index.ts";
import { type Judged, judge } from "#lib/receive/judge.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { readAccounts, type SourceAccount, type SourceAccounts } from "#lib/sources/load.ts";
import { readPayload } from "#lib/sources/payload.ts";
import type { Identification, SourceAdapter } from "#lib/sources/types.ts";

/** Rows per transaction: an admin who changes the source waits for no more than these. */
const STEP = 100;
const CONFLICT_TRIES = 5;
const UNIQUE_VIOLATION = "23505";

/** Releases the events of every source whose contract is confirmed by now. Returns how many. */
export async function sweepContracts(sql: Sql): Promise<number> {
  const sources = await sql<{ id: string }[]>`
    select id from sources where exists (
      select from inbox_events where source_id = sources.id and status = 'waiting' and waits_kind = 'contract')`;
  let released = 0;
  for (const { id } of sources) {
    for (let step = STEP; step === STEP; released += step) step = await releaseStep(sql, id);
  }
  return released;
}

/** The receiver may take a key between our look and our update; then the whole step is made again. */
async function releaseStep(sql: Sql, sourceId: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await sql.begin((tx) => releaseByContract(tx, sourceId));
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION || tries === CONFLICT_TRIES) throw error;
    }
  }
}

type Source = SourceAccounts & { id: string; kind: SourceKind; contract: unknown };
type Row = {
  id: string;
  bodyDigest: Buffer;
  body: Buffer | null;
  headers: Record<string, string> | null;
};

/**
 * Identifies the first of the events that wait for a source's contract anew, now that it is confirmed, and moves each
 * to the state and key that it would have got at its receipt. Does nothing while anything is open.
 */
export async function releaseByContract(tx: Tx, sourceId: string): Promise<number> {
  const source = await loadReady(tx, sourceId);
  if (!source) return 0;
  const rows = await tx<Row[]>`
    select e.id, e.body_digest as "bodyDigest", b.body, b.headers
    from inbox_events e
    left join inbox_bodies b on b.expires_on = e.body_expires_on and b.inbox_event_id = e.id
    where e.source_id = ${sourceId} and e.status = 'waiting' and e.waits_kind = 'contract'
    order by e.id limit ${STEP} for update of e skip locked`;
  for (const row of rows) await move(tx, row, await rejudge(tx, source, row));
  return rows.length;
}

/** Shared lock: the contract stays what it is until the events are judged by it. */
async function loadReady(tx: Tx, sourceId: string): Promise<Source | null> {
  const [row] = await tx<{ kind: SourceKind; contract: unknown }[]>`
    select kind, contract from sources where id = ${sourceId} for share`;
  if (!row || adapterOf(row.kind)?.readiness?.(row.contract).state !== "ready") return null;
  const accounts = await tx<SourceAccount[]>`
    select account, tenant_id as "tenantId", mode, own from source_accounts
    where source_id = ${sourceId} order by account`;
  return { id: sourceId, ...row, ...readAccounts(accounts) };
}

type Move = {
  /** Null: the row keeps the key it has. */
  key: Judged | null;
  status: InboxStatus;
  why: string | null;
  failure?: FailureClass;
};

async function rejudge(tx: Tx, source: Source, row: Row): Promise<Move> {
  const adapter = adapterOf(source.kind)!;
  if (!row.body) return { key: null, status: "failed", failure: "invalid", why: "its body has expired" };
  const identified = identify(adapter, source, row.body, row.headers ?? {});
  if (!identified.ok) return { key: null, status: "quarantined", why: identified.why };
  const key = judge(source, adapter, identified, row.bodyDigest, takesType);
  const other = await findOther(tx, source.id, row, key);
  if (other) return { key: null, ...other };
  const why = key.state.status === "pending" ? "the sender's contract was confirmed" : key.state.why;
  return { key, status: key.state.status, why };
}

function identify(
  adapter: SourceAdapter,
  { contract }: Source,
  body: Buffer,
  headers: Record<string, string>,
): Identification {
  const header = (name: string) => headers[name] ?? null;
  const parsed = readPayload(adapter, body, header);
  return parsed.ok ? adapter.identify({ payload: parsed.value, header, body, contract }) : parsed;
}

/** Where another row holds the key by now, or the same bytes came under another one: this row is not processed. */
async function findOther(
  tx: Tx,
  sourceId: string,
  row: Row,
  { account, eventId, contentDigest, guardsBody }: Judged,
): Promise<{ status: InboxStatus; why: string } | null> {
  const [first] = await tx<{ id: string; contentDigest: Buffer }[]>`
    select id, content_digest as "contentDigest" from inbox_events
    where source_id = ${sourceId} and account = ${account} and event_id = ${eventId} and id <> ${row.id}`;
  if (first?.contentDigest.equals(contentDigest))
    return { status: "ignored", why: `the same event came as ${first.id}` };
  if (first) return { status: "quarantined", why: `the event ${first.id} has the same id and other content` };
  if (!guardsBody) return null;
  await tx`
    insert into inbox_body_guards (source_id, account, body_digest, event_id)
    values (${sourceId}, ${account}, ${row.bodyDigest}, ${eventId}) on conflict do nothing`;
  const [guard] = await tx`
    select from inbox_body_guards where source_id = ${sourceId} and account = ${account}
      and body_digest = ${row.bodyDigest} and event_id = ${eventId}`;
  return guard
    ? null
    : {
        status: "quarantined",
        why: "suspected_replay: the same body came before under another event id",
      };
}

async function move(tx: Tx, { id }: Row, { key, status, why, failure }: Move): Promise<void> {
  if (key) {
    const { account, eventId, type, mode, subject, apiVersion, contentDigest } = key;
    await tx`
      update inbox_events set account = ${account}, event_id = ${eventId}, type = ${type}, mode = ${mode},
        subject = ${subject}, api_version = ${apiVersion}, content_digest = ${contentDigest} where id = ${id}`;
  }
  const waits = key?.state.status === "waiting" ? key.state : null;
  await tx`
    update inbox_events set status = ${status}, failure_class = ${failure ?? null}, why = ${why},
      waits_kind = ${waits?.waitsKind ?? null}, waits_key = ${waits?.waitsKey ?? null},
      next_attempt_at = case when ${status} = 'pending' then now() end,
      finished_at = case when ${status} = 'ignored' then now() end,
      round_attempts = 0, round_started_at = null
    where id = ${id}`;
}
