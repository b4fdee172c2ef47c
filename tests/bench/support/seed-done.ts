import type postgres from "postgres";
import { WORKSPACES } from "./workspaces.ts";

const TABLES = ["inbox_events", "inbox_effects", "inbox_attempts", "credit_entries", "outbox_messages"];
const STEP = 250_000;

/**
 * Events number 1 to `count`, done in the last 30 days: with their effects, attempts, ledger entries and sent
 * messages. Bodies are left out: they are in partitions of their own that are dropped with their day. Indexes are built
 * when the rows are there, and foreign keys are not looked up for rows that are made to fit.
 */
export async function seedDone(sql: postgres.Sql, count: number): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u')
    where i.indrelid = any(${TABLES}::text[]::regclass[]) and c.conname is null`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql.begin(async (tx) => {
    await tx.unsafe("set local session_replication_role = replica");
    for (let from = 1; from <= count; from += STEP) {
      await tx.unsafe(FILL, [from, Math.min(count, from + STEP - 1)]);
    }
    await tx`
      update workspaces set credit_balance = sums.amount
      from (select workspace_id, sum(amount) as amount from credit_entries group by 1) sums where id = workspace_id`;
  });
  for (const { definition } of indexes) await sql.unsafe(definition);
  await sql.unsafe(`vacuum (freeze, analyze) ${TABLES.join(", ")}, workspaces`);
}

const FILL = `
with event as materialized (
  select n, uuidv7(age) as id, now() + age as at, 'evt_' || bench_part('event', n, 24) as event_id,
    'in_' || bench_part('invoice', n, 24) as invoice, 'ws_' || (1 + n * 7919 % ${WORKSPACES}) as workspace_id,
    sha256(n::text::bytea) as digest
  from generate_series($1::bigint, $2::bigint) n, lateral (select (n - $2) * interval '0.5 s' as age) spread
), events as (
  insert into inbox_events (id, source_id, account, event_id, type, mode, subject, api_version, status, outcome, why,
    attempts, round_attempts, content_digest, body_digest, body_bytes, body_expires_on, secret_fingerprint, received_at,
    finished_at)
  select id, 'stripe', 'acct_acme', event_id, 'invoice.paid', 'live', invoice, '2026-10-28', 'done', 'applied',
    '100 credits granted', 1, 1, digest, digest, 2048, at::date + 30, 'bench', at, at + interval '1 s'
  from event
), effects as (
  insert into inbox_effects (inbox_event_id, effect, outcome, why, at)
  select id, 'initial-credit-grant', 'applied', '100 credits granted', at from event
), attempts as (
  insert into inbox_attempts (inbox_event_id, kind, started_at, finished_at, result)
  select id, 'process', at, at, 'done' from event
), entries as (
  insert into credit_entries (id, source_id, account, subject, operation, amount, workspace_id, inbox_event_id,
    paid_amount, paid_currency, mode, created_at)
  select uuidv7(), 'stripe', 'acct_acme', invoice, 'initial-credit-grant', 100, workspace_id, id, 1000, 'usd', 'live', at
  from event
)
insert into outbox_messages (id, operation_key, source_id, account, subject, operation, topic, channel, destination,
  status, content, inbox_event_id, attempts, deadline_at, created_at, finished_at)
select uuidv7(), '["stripe","acct_acme","' || invoice || '","initial-credit-grant"]', 'stripe', 'acct_acme', invoice,
  'initial-credit-grant', 'credit.granted', 'email', 'billing@acme.example', 'sent',
  '{"subject": "100 credits", "text": "100 credits were added."}', id, 1, at + interval '72 h', at, at + interval '1 s'
from event`;
