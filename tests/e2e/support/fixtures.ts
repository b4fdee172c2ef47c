import { createHash, randomBytes } from "node:crypto";
import type postgres from "postgres";
import { v7 as uuidv7 } from "uuid";

/** Rows of every state, written straight into the database: most of them are hard to bring about from outside. */

export type EventFixture = {
  eventId: string;
  type?: string;
  subject?: string | null;
  source?: string;
  account?: string;
  status?: string;
  outcome?: string | null;
  failureClass?: string | null;
  waits?: [kind: string, key: string];
  why?: string | null;
  lastError?: string | null;
  attempts?: number;
  /** Seconds. */
  ago?: number;
  body?: string | Buffer;
};

export const OTHER_SOURCE = "payments-test";
export const ACCOUNT = "acct_1Ou1xRB7WZ01zgkW";

/** A source beside the sample's, an account in test mode, and a workspace. Paused, so that no worker moves its rows. */
export async function insertSource(sql: postgres.Sql): Promise<void> {
  await sql`insert into tenants (id) values ('acme') on conflict do nothing`;
  await sql`
    insert into sources (id, kind, name, status) values (${OTHER_SOURCE}, 'standard-webhooks', 'Fixtures', 'paused')
    on conflict do nothing`;
  await sql`
    insert into workspaces (id, tenant_id, name, contact) values ('ws_acme', 'acme', 'Acme', null) on conflict do nothing`;
}

export async function insertEvent(sql: postgres.Sql, fixture: EventFixture): Promise<string> {
  const id = uuidv7();
  const status = fixture.status ?? "pending";
  const body = Buffer.from(
    fixture.body ?? JSON.stringify({ id: fixture.eventId, type: fixture.type ?? "invoice.paid" }),
  );
  const digest = createHash("sha256").update(body).digest();
  const received = `${fixture.ago ?? 60} seconds`;
  const finished = ["done", "ignored", "dismissed"].includes(status);
  await sql`
    insert into inbox_events (id, source_id, account, event_id, type, mode, subject, status, outcome, failure_class,
      waits_kind, waits_key, why, attempts, next_attempt_at, last_error, content_digest, body_digest, body_bytes,
      body_expires_on, received_at, finished_at)
    values (${id}, ${fixture.source ?? OTHER_SOURCE}, ${fixture.account ?? ACCOUNT}, ${fixture.eventId},
      ${fixture.type ?? "invoice.paid"}, 'live', ${fixture.subject ?? null}, ${status}, ${fixture.outcome ?? null},
      ${fixture.failureClass ?? null}, ${fixture.waits?.[0] ?? null}, ${fixture.waits?.[1] ?? null},
      ${fixture.why ?? null}, ${fixture.attempts ?? 0},
      ${status === "pending" ? sql`now() + interval '8 seconds'` : null}, ${fixture.lastError ?? null}, ${digest},
      ${digest}, ${body.length}, current_date + 30, now() - ${received}::interval,
      ${finished ? sql`now() - ${received}::interval + interval '31 milliseconds'` : null})`;
  await sql`
    insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
    values (current_date + 30, ${id}, ${body}, '{}')`;
  return id;
}

/** One row per state, as the inbox of an ordinary day has them. */
export async function insertEveryState(sql: postgres.Sql): Promise<Record<string, string>> {
  const row = (name: string, fixture: Omit<EventFixture, "eventId">) =>
    insertEvent(sql, { eventId: `evt_${name}_${randomBytes(6).toString("hex")}`, ...fixture }).then((id) => [
      name,
      id,
    ]);
  const rows = await Promise.all([
    row("failed", {
      subject: "in_1Pgc6tB7WZ01zgkW6I",
      status: "failed",
      failureClass: "mismatch",
      attempts: 6,
      ago: 12,
      why: "this invoice already has a grant, with 250 credits instead of 100",
    }),
    row("pending", { subject: "in_1Pgd1aB7WZ01zgkW0Q", ago: 14 }),
    row("retrying", {
      subject: "in_1Pgb2kB7WZ01zgkW9T",
      attempts: 2,
      ago: 190,
      why: "40P01: deadlock detected",
      lastError: "40P01: deadlock detected",
    }),
    row("quarantined", {
      type: "TRANSACTION_SUCCEEDED",
      subject: "tx_88120",
      account: "m_204",
      status: "quarantined",
      ago: 61,
      why: "the body has a number that is absurdly long or large",
    }),
    row("waiting", {
      type: "feedback.created",
      subject: "fb_5512",
      account: "proj_web",
      status: "waiting",
      waits: ["contract", "sinalio"],
      ago: 120,
      why: "contract not confirmed",
    }),
    row("ignored", {
      type: "customer.tax_id.created",
      subject: "cus_QXg1o8dFz",
      status: "ignored",
      attempts: 1,
      ago: 125,
      why: "no effect takes this type",
    }),
    row("dismissed", {
      subject: "in_1Pga0xB7WZ01zgkW7C",
      status: "dismissed",
      attempts: 3,
      ago: 4_000,
      why: "closed by console: refunded by hand",
    }),
  ]);
  return Object.fromEntries(rows);
}

/** Everything at once that a page must not run, follow or be turned around by. */
export const HOSTILE = {
  eventId: "<img src=x onerror=\"window.pwned='id'\">",
  type: "invoice.paid\u202egnp.exe",
  subject: "javascript:window.pwned='subject'",
  why: "</script><script>window.pwned='why'</script>\u2028\u2029 \u2066isolated\u2069 \ud83d\ude00",
  body: `{"id":"</script><script>window.pwned='body'</script>","big":12345678901234567890.10,"hosted_invoice_url":"javascript:alert(1)","name":"\u202etxt.exe\u2028","nul":"a\\u0000b"}`,
};

/** Under an account of its own, for the event id is always the same. */
export function insertHostile(sql: postgres.Sql): Promise<string> {
  return insertEvent(sql, {
    ...HOSTILE,
    account: `acct_${randomBytes(6).toString("hex")}`,
    status: "failed",
    failureClass: "invalid",
    lastError: HOSTILE.why,
    attempts: 1,
    ago: 30,
  });
}
