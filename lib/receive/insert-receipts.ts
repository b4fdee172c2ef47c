import { DURABLE } from "#db/durability.ts";
import type { InboxStatus } from "#db/states.ts";
import { toArrayLiteral } from "#lib/array-literal.ts";
import type { Executor } from "#lib/executor.ts";
import { formatTraceparent } from "#lib/telemetry/trace-context.ts";
import type { Receipt } from "./types.ts";

export type NumberedReceipt = { id: string; receipt: Receipt };

/**
 * Inserts receipts and their bodies in one statement, which is one commit; returns the rows that came into being,
 * by id, with the state they got: a repetition of guarded bytes under a new event id is quarantined here, where the
 * guard's unique key decides.
 * Columns travel as array literals, which the server reads several times faster than a JSON document of the same rows;
 * the bodies as one base64 text, cut up by their lengths, because a literal of large elements is read character by
 * character. Rows go in by key order, so that two receivers with the same keys wait for each other in line instead of
 * in a circle.
 */
export async function insertReceipts(
  sql: Executor,
  batch: readonly NumberedReceipt[],
): Promise<Map<string, InboxStatus>> {
  const guarded = batch.some(({ receipt }) => receipt.guardsBody);
  const created = await sql.unsafe<{ id: string; status: InboxStatus }[]>(
    guarded ? INSERT_GUARDED : INSERT,
    toParameters(batch),
    { prepare: true },
  );
  return new Map(created.map(({ id, status }) => [id, status]));
}

function toParameters(batch: readonly NumberedReceipt[]): string[] {
  const list = (textOf: (receipt: Receipt) => string | null) =>
    toArrayLiteral(batch, ({ receipt }) => textOf(receipt));
  let end = 1;
  return [
    Buffer.concat(batch.map(({ receipt }) => receipt.body)).toString("base64"),
    toArrayLiteral(batch, ({ id }) => id),
    list(({ sourceId }) => sourceId),
    list(({ account }) => account),
    list(({ eventId }) => eventId),
    list(({ type }) => type),
    list(({ mode }) => mode),
    list(({ subject }) => subject),
    list(({ apiVersion }) => apiVersion),
    list(({ state }) => state.status),
    list(({ state }) => (state.status === "waiting" ? state.waitsKind : null)),
    list(({ state }) => (state.status === "waiting" ? state.waitsKey : null)),
    list(({ state }) => (state.status === "pending" ? null : state.why)),
    list(({ contentDigest }) => contentDigest.toString("base64")),
    list(({ bodyDigest }) => bodyDigest.toString("base64")),
    list(({ body }) => {
      end += body.length;
      return String(end - body.length);
    }),
    list(({ body }) => String(body.length)),
    list(({ retentionDays }) => String(retentionDays)),
    list(({ secretFingerprint }) => secretFingerprint),
    list(({ trace }) => formatTraceparent(trace)),
    list(({ origin }) => origin),
    list(({ headers }) => JSON.stringify(headers)),
    list(({ guardsBody }) => String(guardsBody)),
  ];
}

/** A guard's key arbitrates; who finds it taken under another event id is suspected. */
const GUARDS = `
guarded as (
  insert into inbox_body_guards (source_id, account, body_digest, event_id)
  select s, a, decode(bd, 'base64'), e from input where g order by s, a, bd
  on conflict (source_id, account, body_digest) do nothing
  returning source_id, account, event_id
), judged as (
  select input.*, g and not exists (
    select from guarded where (guarded.source_id, guarded.account, guarded.event_id) = (s, a, e)) as suspected
  from input
)`;
/** Even empty, the guards' part would cost every batch a good deal of its time. */
const NO_GUARDS = "judged as (select input.*, false as suspected from input)";

const INSERT = insertAfter(NO_GUARDS);
const INSERT_GUARDED = insertAfter(GUARDS);

function insertAfter(judged: string): string {
  return `
with input as materialized (
  select * from unnest(
    $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::int[], $17::int[], $18::int[], $19::text[],
    $20::text[], $21::text[], $22::jsonb[], $23::boolean[]
  ) as input (id, s, a, e, t, m, u, v, st, wk, wy, y, cd, bd, at, n, r, f, tp, o, h, g)
), ${judged}, created as (
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
  order by e collate "C", a collate "C", s collate "C"
  on conflict (source_id, account, event_id) do nothing
  returning id, status, body_expires_on
), bodies as (
  insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
  select created.body_expires_on, id, substr((select decode($1::text, 'base64')), input.at, input.n), input.h
  from created join input using (id)
)
select id, status, (select ${DURABLE}) from created`;
}
