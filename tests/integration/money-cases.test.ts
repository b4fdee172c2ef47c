import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  expect(await findBroken(database.sql)).toEqual([]);
  await database.drop();
});

const invoice = (overrides = {}) => stripeInvoice({ id: "in_9", ...overrides });

describe("one paid invoice with two event types", () => {
  const paid = () => stripeEvent({ type: "invoice.paid" }, invoice());
  const succeeded = () => stripeEvent({ type: "invoice.payment_succeeded" }, invoice());

  it.each([
    ["both", [paid, succeeded]],
    ["both, the other way round", [succeeded, paid]],
    ["only the first, as for a payment out of band", [paid]],
    ["only the second", [succeeded]],
  ])("grants exactly once: %s, one after the other", async (_, events) => {
    for (const event of events) {
      await product.deliver(event());
      await product.workUntilIdle();
    }
    expect(await product.balance()).toBe(100n);
  });

  it("grants exactly once when both come, and are worked on, at the same time", async () => {
    await Promise.all([paid(), succeeded(), paid(), succeeded()].map((event) => product.deliver(event)));
    await Promise.all([product.work(1), product.work(1), product.work(1), product.work(1)]);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
    const outcomes = await database.sql`select outcome from inbox_events order by outcome`;
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      "already_applied",
      "already_applied",
      "already_applied",
      "applied",
    ]);
  });

  it("invoices A and B are separate grants in whatever order", async () => {
    await product.deliver(stripeEvent({}, stripeInvoice({ id: "in_b" })));
    await product.deliver(stripeEvent({}, stripeInvoice({ id: "in_a" })));
    await product.workUntilIdle();
    expect(await product.balance()).toBe(200n);
  });

  it("another amount under the same invoice is a mismatch, and never silence", async () => {
    await product.deliver(paid());
    await product.workUntilIdle();
    const { answer } = await product.deliver(
      stripeEvent({ type: "invoice.payment_succeeded" }, invoice({ amount_paid: 2000 })),
    );
    await product.workUntilIdle();
    expect(await findEvent(database.sql, answer.event)).toMatchObject({
      status: "failed",
      failureClass: "mismatch",
      why: "this invoice already has a grant, with paid amount 1000 instead of 2000",
    });
  });
});

describe("one event in two API versions", () => {
  it("is the same event: two endpoints of an account may be of different versions", async () => {
    const old = invoice({ parent: undefined, subscription: "sub_1", charge: "ch_1", payment_intent: "pi_1" });
    const first = await product.deliver(stripeEvent({ id: "evt_1", api_version: "2019-03-14" }, old));
    const second = await product.deliver(stripeEvent({ id: "evt_1", api_version: "2026-10-28" }, invoice()));
    expect([first.answer.status, second.answer.status]).toEqual(["accepted", "duplicate"]);
    expect(second.answer.event).toBe(first.answer.event);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
    const [row] = await database.sql`select api_version from inbox_events`;
    expect(row).toEqual({ api_version: "2019-03-14" });
  });
});

describe("whose money it is", () => {
  it("a test-mode event at the live endpoint has no effect, and its ids are not those of live mode", async () => {
    await database.sql`insert into source_accounts (source_id, account, tenant_id, mode) values ('stripe', 'acct_b', 'acme', 'live')`;
    const { answer } = await product.deliver(stripeEvent({ livemode: false }, invoice()));
    await product.workUntilIdle();
    expect(await findEvent(database.sql, answer.event)).toMatchObject({
      status: "ignored",
      why: "wrong mode",
    });
    await database.sql`insert into source_accounts (source_id, account, tenant_id, mode, own) values ('stripe', 'acct_acme~test', 'acme', 'test', true)`;
    const test = await product.deliver(stripeEvent({ livemode: false }, invoice()));
    await product.workUntilIdle();
    // The live customer's link is not the test customer's.
    expect(await findEvent(database.sql, test.answer.event)).toMatchObject({
      status: "waiting",
      waitsKind: "link",
    });
    expect(await product.balance()).toBe(0n);
  });

  it("a connected account's customer is not the platform's customer of the same id", async () => {
    await database.sql`insert into source_accounts (source_id, account, tenant_id, mode) values ('stripe', 'acct_b', 'other', 'live')`;
    const { answer } = await product.deliver(stripeEvent({ account: "acct_b" }, invoice()));
    await product.workUntilIdle();
    expect(await findEvent(database.sql, answer.event)).toMatchObject({
      account: "acct_b",
      status: "waiting",
      waitsKind: "link",
    });
    expect(await product.balance()).toBe(0n);
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id) values ('stripe', 'acct_b', 'cus_acme', 'ws_other')`;
    await database.sql`update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now()`;
    await product.workUntilIdle();
    expect([await product.balance("ws_acme"), await product.balance("ws_other")]).toEqual([0n, 100n]);
  });

  it("a workspace named in the payload is no authorisation", async () => {
    await product.deliver(
      stripeEvent({}, invoice({ metadata: { workspace: "ws_other", workspace_id: "ws_other" } })),
    );
    await product.workUntilIdle();
    expect([await product.balance("ws_acme"), await product.balance("ws_other")]).toEqual([100n, 0n]);
  });
});
