import { v7 as uuidv7 } from "uuid";
import type { Tx } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import type { EntryDraft } from "#lib/effects/types.ts";
import type { Subscription } from "#lib/outbox/fan-out.ts";
import type { EffectVerdict } from "./decide.ts";
import { MetTwin } from "./met-twin.ts";
import { outgoingRows } from "./outgoing.ts";
import { releaseInBatch } from "./release-in-batch.ts";
import type { InboxRow } from "./row.ts";
import type { Settlement } from "./settle.ts";
import { subscribedRows } from "./subscribed.ts";
import { makeAlertIds, writeChanges } from "./write-changes.ts";

/** A settled row with what follows from it. */
export type Settled = { row: InboxRow; settlement: Settlement; verdicts: EffectVerdict[] };

/** Who tried: a worker, the request that brought the event (null: lib/receive/inline.ts), or a person through a replay. */
export type Attempter =
  | { kind: "process"; workerId: string | null }
  | { kind: "replay"; workerId: string | null; actor: string; reason: string; operationId: string };

/** Days that an outgoing message may be tried. */
const OUTBOX_WINDOW_HOURS = 72;

/**
 * Writes a batch of settlements and what follows from them; one statement settles rows, makes entries, moves balances
 * and writes intents, and one more per further kind of change that occurs.
 *
 * The database arbitrates: balances move and intents exist only for entries that the insert really created. An entry
 * that was there already throws MetTwin: facts were older than the locks, and nothing of this transaction may stay, for
 * later rows of the batch decided on what this one seemed to do.
 */
export async function writeSettlements(
  tx: Tx,
  batch: readonly Settled[],
  by: Attempter,
  subscriptions: readonly Subscription[],
): Promise<void> {
  if (batch.length === 0) return;
  const entries = batch.flatMap(({ row, verdicts }) =>
    verdicts.flatMap(({ changes }) => (changes.entries ?? []).map((entry) => toEntry(row, entry))),
  );
  const alertIds = makeAlertIds(batch);
  const effects = batch.flatMap(({ row, verdicts }) =>
    verdicts.map(({ effect, outcome, why, byEventId }) => ({
      e: row.id,
      f: effect,
      o: outcome,
      y: why,
      b: byEventId === row.id ? null : byEventId,
    })),
  );
  const rows = batch.map(({ row, settlement }) => ({ ...settlement, startedAt: row.claimedAt }));
  const settling = tx
    .unsafe(
      WRITE,
      [
        JSON.stringify(rows),
        JSON.stringify(entries),
        JSON.stringify([...outgoingRows(batch), ...subscribedRows(batch, alertIds, subscriptions)]),
        JSON.stringify(effects),
        OUTBOX_WINDOW_HOURS,
        by.kind,
        by.workerId,
        by.kind === "replay" ? by.actor : null,
        by.kind === "replay" ? by.reason : null,
        by.kind === "replay" ? by.operationId : null,
      ],
      { prepare: true },
    )
    .execute();
  // What follows is sent without waiting for the answer: if that is a twin, nothing of this transaction stays anyway.
  const follow = async () => {
    await writeChanges(tx, batch, alertIds);
    await releaseInBatch(tx, batch);
  };
  const [settled] = await Promise.all([settling, follow()]);
  if (settled.count < batch.length) throw new MetTwin("an entry of this batch was made meanwhile");
}

function toEntry(row: InboxRow, entry: EntryDraft) {
  return {
    id: uuidv7(),
    e: row.id,
    s: row.sourceId,
    a: row.account,
    u: entry.subject,
    o: entry.operation,
    n: entry.amount.toString(),
    sf: (entry.shortfall ?? 0n).toString(),
    w: entry.workspaceId,
    pa: entry.paidAmount?.toString() ?? null,
    pc: entry.paidCurrency,
    m: row.mode,
    co: entry.confirmationOmitted,
  };
}

const WRITE = `
with row as materialized (
  select * from json_to_recordset($1::text::json) as row (
    id uuid, was text, attempts int, status text, outcome text, "failureClass" text, "waitsKind" text,
    "waitsKey" text, why text, subject text, "startedAt" timestamptz)
), entry as materialized (
  select * from json_to_recordset($2::text::json) as entry (
    id uuid, e uuid, s text, a text, u text, o text, n bigint, sf bigint, w text, pa bigint, pc text, m text, co text)
), created as (
  insert into credit_entries (id, inbox_event_id, source_id, account, subject, operation, amount, shortfall,
    workspace_id, paid_amount, paid_currency, mode, confirmation_omitted, created_at)
  select id, e, s, a, u, o, n, sf, w, pa, pc, m, co, clock_timestamp() from entry order by s, a, u, o
  on conflict (source_id, account, subject, operation) do nothing
  returning id, inbox_event_id, workspace_id, amount
), moved as (
  update workspaces set credit_balance = credit_balance + moves.amount, updated_at = now()
  from (select workspace_id, sum(amount) as amount from created group by workspace_id) moves
  where workspaces.id = moves.workspace_id
), settled as (
  update inbox_events event
  set status = row.status, outcome = row.outcome, failure_class = row."failureClass",
    waits_kind = row."waitsKind", waits_key = row."waitsKey", why = row.why,
    subject = coalesce(row.subject, event.subject),
    attempts = event.attempts + 1,
    round_attempts = case when row.status = 'done' then event.round_attempts + 1 else 0 end,
    round_started_at = null, last_error = null,
    next_attempt_at = null, lane = 0, crashes = 0,
    finished_at = case when row.status in ('done', 'ignored') then coalesce(event.finished_at, clock_timestamp()) end
  from row
  where event.id = row.id and event.status = row.was and event.attempts = row.attempts
    and not exists (select from entry where entry.e = row.id and entry.id not in (select id from created))
  returning event.id, row.status, row.why, row."startedAt"
), sent as (
  insert into outbox_messages (id, operation_key, inbox_event_id, source_id, account, subject, operation, topic,
    channel, destination, destination_id, content, created_at, next_attempt_at, deadline_at)
  select message.id, k, e, s, a, u, o, t, c, d, coalesce(di, 'email'), x, clock_timestamp(), now(), now() + make_interval(hours => $5::int)
  from json_to_recordset($3::text::json) as message (
    id uuid, k text, e uuid, s text, a text, u text, o text, t text, c text, d text, di text, x jsonb)
  join settled on settled.id = message.e
  on conflict (operation_key) do nothing
), judged as (
  insert into inbox_effects (inbox_event_id, effect, outcome, why, by_event_id)
  select e, f, o, y, b
  from json_to_recordset($4::text::json) as verdict (e uuid, f text, o text, y text, b uuid)
  join settled on settled.id = e
  on conflict (inbox_event_id, effect) do update
    set outcome = excluded.outcome, why = excluded.why, by_event_id = excluded.by_event_id, at = now()
), tried as (
  insert into inbox_attempts (inbox_event_id, kind, started_at, finished_at, result, why, worker_id, actor, reason,
    operation_id)
  select id, $6, "startedAt", clock_timestamp(), status, why, $7::uuid, $8, $9, $10::uuid from settled
)
select id, ${DURABLE} from settled`;
