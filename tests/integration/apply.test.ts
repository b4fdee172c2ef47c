import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { putCustomerLink } from "#lib/admin/put-customer-link.ts";
import { replayEvent } from "#lib/inbox/replay.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(() => database.drop());

async function deliverInvoice(invoice: Record<string, unknown>, event: Record<string, unknown> = {}) {
  const { answer } = await product.deliver(stripeEvent(event, stripeInvoice(invoice)));
  await product.workUntilIdle();
  const [row] = await database.sql`
    select id, status, outcome, failure_class, waits_kind, waits_key, why, attempts from inbox_events where id = ${answer.event}`;
  return row!;
}

describe("what is not a grant", () => {
  it.each([
    ["a zero amount", { amount_paid: 0 }, "nothing was paid: the amount is 0"],
    ["a void invoice", { status: "void" }, "the invoice is void, not paid"],
    ["an uncollectible invoice", { status: "uncollectible" }, "the invoice is uncollectible, not paid"],
  ])("%s ends not eligible", async (_, invoice, why) => {
    expect(await deliverInvoice(invoice)).toMatchObject({ status: "done", outcome: "not_eligible", why });
    expect(await product.balance()).toBe(0n);
  });

  it.each([
    ["an unknown billing reason", { billing_reason: "lottery" }],
    ["an amount as a string", { amount_paid: "1000" }],
    ["a fraction of a cent", { amount_paid: 10.5 }],
    ["a negative amount", { amount_paid: -500 }],
    ["no amount", { amount_paid: null }],
    ["no customer", { customer: null }],
  ])("%s is for a person", async (_, invoice) => {
    expect(await deliverInvoice(invoice)).toMatchObject({ status: "failed", failure_class: "invalid" });
    expect(await product.balance()).toBe(0n);
  });

  it("an event of a mode that is not configured is ignored", async () => {
    expect(await deliverInvoice({}, { livemode: false })).toMatchObject({
      status: "ignored",
      why: "wrong mode",
    });
  });

  it("an unknown account waits and is shown", async () => {
    expect(await deliverInvoice({}, { account: "acct_stranger" })).toMatchObject({
      status: "waiting",
      waits_kind: "account",
      waits_key: "acct_stranger",
    });
  });
});

describe("a paid invoice", () => {
  it("paid out of band grants by its total", async () => {
    expect(await deliverInvoice({ amount_paid: 0, paid_out_of_band: true })).toMatchObject({
      outcome: "applied",
    });
  });

  it("of an unlinked customer waits, and is granted once the link is there", async () => {
    const row = await deliverInvoice({ customer: "cus_new" });
    expect(row).toMatchObject({ status: "waiting", waits_kind: "link", waits_key: "cus_new" });
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id) values ('stripe', 'acct_acme', 'cus_new', 'ws_acme')`;
    expect(await sweepWaiting(database.sql)).toBe(1);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });

  it("of a customer linked to another tenant's workspace is a mismatch", async () => {
    await database.sql`update customer_links set workspace_id = 'ws_other'`;
    expect(await deliverInvoice({})).toMatchObject({ status: "failed", failure_class: "mismatch" });
  });

  it("that already has a grant of another amount is a mismatch, not silence", async () => {
    await deliverInvoice({ id: "in_7" });
    await database.sql`update sources set settings = ${database.sql.json({ credits: 250 })}`;
    expect(await deliverInvoice({ id: "in_7" }, { type: "invoice.payment_succeeded" })).toMatchObject({
      status: "failed",
      failure_class: "mismatch",
      why: "this invoice already has a grant, with 100 credits instead of 250",
    });
    expect(await product.balance()).toBe(100n);
  });

  it("to a workspace without an address is granted, and the entry says why nothing is sent", async () => {
    await database.sql`update workspaces set contact = null`;
    expect(await deliverInvoice({})).toMatchObject({ outcome: "applied" });
    const [entry] = await database.sql`select confirmation_omitted from credit_entries`;
    expect(entry).toEqual({ confirmation_omitted: "the workspace has no contact address" });
  });

  it("grants by price where the source says so", async () => {
    await database.sql`update sources set settings = ${database.sql.json({ creditsByPrice: { price_team: 40 } })}`;
    expect(await deliverInvoice({})).toMatchObject({ outcome: "applied", why: "40 credits granted to Acme" });
  });

  it("is held while its source is paused, and discarded by nothing", async () => {
    await database.sql`update sources set status = 'paused'`;
    expect(await deliverInvoice({})).toMatchObject({ status: "pending" });
    await database.sql`update sources set status = 'active'`;
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });
});

describe("a replay", () => {
  const ask = (id: string, dryRun: boolean) =>
    replayEvent(database.sql, { id, actor: "support", reason: "customer asked", dryRun });

  it("of a granted invoice says already applied, changes nothing and is kept", async () => {
    const row = await deliverInvoice({});
    expect(await ask(row.id, true)).toMatchObject({
      verdict: "already_applied",
      by: row.id,
      operation: null,
    });
    expect(await ask(row.id, false)).toMatchObject({ verdict: "already_applied", by: row.id });
    expect(await product.balance()).toBe(100n);
    const attempts = await database.sql`select kind, result, actor, reason from inbox_attempts order by id`;
    expect([...attempts]).toEqual([
      { kind: "process", result: "done", actor: null, reason: null },
      { kind: "replay", result: "already_applied", actor: "support", reason: "customer asked" },
    ]);
  });

  it("of a waiting event applies once the link is there, and says what blocks it before", async () => {
    const row = await deliverInvoice({ customer: "cus_new" });
    expect(await ask(row.id, true)).toMatchObject({ verdict: "blocked" });
    expect(await ask(row.id, false)).toMatchObject({ verdict: "blocked" });
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id) values ('stripe', 'acct_acme', 'cus_new', 'ws_acme')`;
    expect(await ask(row.id, true)).toMatchObject({ verdict: "would_apply" });
    expect(await product.balance()).toBe(0n);
    expect(await ask(row.id, false)).toMatchObject({ verdict: "applied" });
    expect(await product.balance()).toBe(100n);
  });

  it("moves a done row on from not eligible, when the source now entitles it", async () => {
    await database.sql`update sources set settings = ${database.sql.json({ currencies: ["eur"] })}`;
    const row = await deliverInvoice({});
    expect(row.outcome).toBe("not_eligible");
    await database.sql`update sources set settings = '{}'`;
    expect(await ask(row.id, false)).toMatchObject({ verdict: "applied" });
    const [after] = await database.sql`select status, outcome from inbox_events where id = ${row.id}`;
    expect(after).toEqual({ status: "done", outcome: "applied" });
  });

  it("at the same time as processing gives one grant", async () => {
    const { answer } = await product.deliver(stripeEvent());
    const [replay] = await Promise.all([ask(answer.event, false), product.work(), product.work()]);
    expect(["applied", "already_applied"]).toContain(replay?.verdict);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });

  it("of an unknown event is null", async () => {
    expect(await ask("01900000-0000-7000-8000-000000000000", false)).toBeNull();
  });
});

describe("a replay that is blocked", () => {
  it("changes nothing but the history: an event of the wrong mode stays ignored", async () => {
    const row = await deliverInvoice({}, { livemode: false });
    const answer = await replayEvent(database.sql, {
      id: row.id,
      actor: "support",
      reason: "why not",
      dryRun: false,
    });
    expect(answer).toMatchObject({ verdict: "blocked" });
    const [after] = await database.sql`
      select status, finished_at is not null as finished, attempts from inbox_events where id = ${row.id}`;
    expect(after).toEqual({ status: "ignored", finished: true, attempts: row.attempts });
    const [attempt] =
      await database.sql`select kind, result, reason from inbox_attempts where inbox_event_id = ${row.id}`;
    expect(attempt).toEqual({ kind: "replay", result: "blocked", reason: "why not" });
  });
});

describe("an account that was added a moment ago", () => {
  it("is known to the very next event, whatever this process had in memory", async () => {
    await product.deliver(stripeEvent());
    await database.sql`insert into source_accounts (source_id, account, tenant_id, mode, own)
      values ('stripe', 'acct_acme~test', 'acme', 'test', true), ('stripe', 'acct_new', 'acme', 'live', false)`;
    const test = await product.deliver(stripeEvent({ livemode: false }));
    const connected = await product.deliver(stripeEvent({ account: "acct_new" }));
    const rows = await database.sql`select account, status from inbox_events
      where id in (${test.answer.event}, ${connected.answer.event}) order by account`;
    expect([...rows]).toEqual([
      { account: "acct_acme~test", status: "pending" },
      { account: "acct_new", status: "pending" },
    ]);
  });
});

describe("replays beside changed links", () => {
  it("end without a deadlock that anybody sees", async () => {
    const rows = await Promise.all(
      Array.from({ length: 6 }, () =>
        product.deliver(stripeEvent({}, stripeInvoice({ customer: "cus_late" }))),
      ),
    );
    await product.workUntilIdle();
    // The state between a lost wake-up and the next sweep: the link is there, and the rows still wait.
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id) values ('stripe', 'acct_acme', 'cus_late', 'ws_acme')`;
    const link = { source: "stripe", account: "acct_acme", customer: "cus_late", workspace: "ws_acme" };
    const outcomes = await Promise.allSettled([
      ...rows.map(({ answer }) =>
        replayEvent(database.sql, { id: answer.event, actor: "support", reason: "at once", dryRun: false }),
      ),
      ...rows.map(() => putCustomerLink(database.sql, { name: "console", scopes: [] } as never, link)),
    ]);
    expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(600n);
  });
});
