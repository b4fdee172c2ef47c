import { DURABLE } from "#db/durability.ts";
import type { InboxStatus } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { formatTraceparent } from "#lib/telemetry/trace-context.ts";
import type { Receipt } from "./types.ts";

export type NumberedReceipt = { id: string; receipt: Receipt };

/**
 * Inserts receipts and their bodies in one statement, which is one commit; returns the rows that came into being,
 * by id, with the state they got: a repetition of guarded bytes under a new event id is quarantined here, where the
 * guard's unique key decides.
 * Bodies travel as base64 because the driver sends text, and base64 needs no quoting inside an array literal. Rows go
 * in by key order, so that two receivers with the same keys wait for each other in line instead of in a circle.
 */
export async function insertReceipts(
  sql: Executor,
  batch: readonly NumberedReceipt[],
): Promise<Map<string, InboxStatus>> {
  const rows = JSON.stringify(batch.map(toRow));
  const bodies = `{${batch.map(({ receipt }) => `"${receipt.body.toString("base64")}"`).join(",")}}`;
  const created = await sql.unsafe<{ id: string; status: InboxStatus }[]>(INSERT, [rows, bodies], {
    prepare: true,
  });
  return new Map(created.map(({ id, status }) => [id, status]));
}

function toRow({ id, receipt }: NumberedReceipt) {
  const { state } = receipt;
  return {
    id,
    s: receipt.sourceId,
    a: receipt.account,
    e: receipt.eventId,
    t: receipt.type,
    m: receipt.mode,
    u: receipt.subject,
    v: receipt.apiVersion,
    st: state.status,
    wk: state.status === "waiting" ? state.waitsKind : null,
    wy: state.status === "waiting" ? state.waitsKey : null,
    y: state.status === "pending" ? null : state.why,
    cd: receipt.contentDigest.toString("base64"),
    bd: receipt.bodyDigest.toString("base64"),
    n: receipt.body.length,
    r: receipt.retentionDays,
    f: receipt.secretFingerprint,
    tp: formatTraceparent(receipt.trace),
    o: receipt.origin,
    g: receipt.guardsBody,
    h: receipt.headers,
  };
}

const INSERT = `
with input as materialized (
  select * from rows from (
    json_to_recordset($1::text::json) as (
      id uuid, s text, a text, e text, t text, m text, u text, v text, st text, wk text, wy text, y text,
      cd text, bd text, n int, r int, f text, tp text, o text, g boolean, h jsonb),
    unnest($2::text[])
  ) as input (id, s, a, e, t, m, u, v, st, wk, wy, y, cd, bd, n, r, f, tp, o, g, h, body)
), guarded as (
  insert into inbox_body_guards (source_id, account, body_digest, event_id)
  select s, a, decode(bd, 'base64'), e from input where g order by s, a, bd
  on conflict (source_id, account, body_digest) do nothing
  returning source_id, account, event_id
), judged as (
  select input.*, g and not exists (
    select from guarded where (guarded.source_id, guarded.account, guarded.event_id) = (s, a, e)) as suspected
  from input
), created as (
  insert into inbox_events (
    id, source_id, account, event_id, type, mode, subject, api_version, status, waits_kind, waits_key, why,
    content_digest, body_digest, body_bytes, body_expires_on, secret_fingerprint, traceparent, origin,
    next_attempt_at, finished_at)
  select id, s, a, e, t, m, u, v,
    case when suspected then 'quarantined' else st end,
    case when not suspected then wk end,
    case when not suspected then wy end,
    case when suspected then 'suspected_replay: the same body came before under another event id' else y end,
    decode(cd, 'base64'), decode(bd, 'base64'), n, (now() at time zone 'UTC')::date + r, f, tp, o,
    case when st = 'pending' and not suspected then now() end,
    case when st = 'ignored' and not suspected then now() end
  from judged
  order by s, a, e
  on conflict (source_id, account, event_id) do nothing
  returning id, status, body_expires_on
), bodies as (
  insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
  select created.body_expires_on, id, decode(input.body, 'base64'), input.h
  from created join input using (id)
)
select id, status, ${DURABLE} from created`;
