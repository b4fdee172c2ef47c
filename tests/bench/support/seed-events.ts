import type postgres from "postgres";
import { paidInvoice, VARYING, type Varying } from "./stripe-traffic.ts";
import { WORKSPACES } from "./workspaces.ts";

const PARTS = Object.keys(VARYING) as Varying[];

/** Text for format(): the parts in order as %1$s …, the customer after them. */
const TEMPLATE = paidInvoice((part) => `%${PARTS.indexOf(part) + 1}$s`, `cus_%${PARTS.length + 1}$s`);

/**
 * Defines bench_event(n): the n-th event as JSON text. The varying parts are digests with the characters of Stripe's
 * ids; the customers come in an order that mixes them.
 */
export async function defineEvents(sql: postgres.Sql): Promise<void> {
  const part = (name: Varying) =>
    `left(translate(encode(sha512(('${name}' || n)::bytea), 'base64'), E'+/=\\n', 'aB'), ${VARYING[name]})`;
  await sql.unsafe(`
    create function bench_part(name text, n bigint, length int) returns text language sql immutable as $body$
      select left(translate(encode(sha512((name || n)::bytea), 'base64'), E'+/=\\n', 'aB'), length)
    $body$;
    create function bench_event(n bigint) returns text language sql immutable as $body$
      select format($event$${TEMPLATE}$event$, ${PARTS.map(part).join(", ")}, 1 + n * 7919 % ${WORKSPACES})
    $body$`);
}

/** Pending events number `from` on, with their bodies, as the receiver would have stored them. */
export async function seedPending(sql: postgres.Sql, from: number, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      with event as materialized (
        select n, uuidv7() as id, convert_to(bench_event(n), 'UTF8') as body,
          (now() at time zone 'UTC')::date + 30 as expires
        from generate_series(${from}::bigint, ${from + count - 1}::bigint) n
      ), bodies as (
        insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
        select expires, id, body, '{"content-type": "application/json; charset=utf-8"}' from event
      )
      insert into inbox_events (id, source_id, account, event_id, type, mode, subject, api_version, status,
        content_digest, body_digest, body_bytes, body_expires_on, secret_fingerprint, next_attempt_at)
      select id, 'stripe', 'acct_acme', 'evt_' || bench_part('event', n, 24), 'invoice.paid', 'live',
        'in_' || bench_part('invoice', n, 24), '2026-10-28', 'pending', sha256(body), sha256(body), length(body),
        expires, 'bench', now()
      from event`;
  });
  await sql`analyze inbox_events, inbox_bodies`;
}
