import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { storeTimeout: 4_000, onUnavailable: () => {} });
  await database.sql`update sources set settings = '{"inline": true}'`;
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await database.drop();
  expect(broken).toEqual([]);
});

const read = async (id: string) =>
  (await database.sql`select status, outcome, why, attempts from inbox_events where id = ${id}`)[0];

/** Runs `work` while another session holds what `statement` locks. */
async function whileHeld(statement: string, work: () => Promise<void>): Promise<void> {
  await database.sql.begin(async (tx) => {
    await tx.unsafe(statement);
    await work();
  });
}

describe("an inline source", () => {
  it("has its effect before the sender hears 200", async () => {
    const { status, answer } = await product.deliver(stripeEvent());
    expect({ status, result: answer.status }).toEqual({ status: 200, result: "accepted" });
    expect(await read(answer.event)).toMatchObject({ status: "done", outcome: "applied", attempts: 1 });
    expect(await product.balance()).toBe(100n);
    const [attempt] = await database.sql`select kind, result, worker_id from inbox_attempts`;
    expect(attempt).toEqual({ kind: "process", result: "done", worker_id: null });
  });

  it("counts a repetition as one, and grants the same invoice once", async () => {
    const invoice = stripeInvoice();
    const event = stripeEvent({ type: "invoice.paid" }, invoice);
    const [first, again, other] = [
      await product.deliver(event),
      await product.deliver(event),
      await product.deliver(stripeEvent({ type: "invoice.payment_succeeded" }, invoice)),
    ];
    expect(again.answer).toEqual({ status: "duplicate", event: first.answer.event });
    expect(await read(other.answer.event)).toMatchObject({ status: "done", outcome: "already_applied" });
    expect(await product.balance()).toBe(100n);
  });

  it("leaves to a worker what waits", async () => {
    const { answer } = await product.deliver(stripeEvent({}, stripeInvoice({ customer: "cus_new" })));
    expect(await read(answer.event)).toMatchObject({ status: "pending", attempts: 0 });
    await product.workUntilIdle();
    expect(await read(answer.event)).toMatchObject({ status: "waiting" });
  });

  it("leaves to a worker what fails", async () => {
    const { answer } = await product.deliver(stripeEvent({}, stripeInvoice({ amount_paid: -5 })));
    expect(await read(answer.event)).toMatchObject({ status: "pending", attempts: 0 });
    await product.workUntilIdle();
    expect(await read(answer.event)).toMatchObject({ status: "failed" });
  });

  it("leaves to a worker what takes too long, and keeps its promise", async () => {
    await whileHeld("select from workspaces for update", async () => {
      const { status, answer } = await product.deliver(stripeEvent());
      expect({ status, result: answer.status }).toEqual({ status: 200, result: "accepted" });
      expect(await read(answer.event)).toMatchObject({ status: "pending", attempts: 0 });
    });
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });

  it("is held while it is paused", async () => {
    await database.sql`update sources set status = 'paused'`;
    const { answer } = await product.deliver(stripeEvent());
    expect(await read(answer.event)).toMatchObject({ status: "pending" });
  });

  it("promises nothing when the receipt cannot be stored either", async () => {
    const event = stripeEvent();
    await whileHeld("lock table inbox_events in access exclusive mode", async () => {
      const { status, headers } = await product.deliver(event);
      expect(status).toBe(503);
      expect(headers["retry-after"]).toBeDefined();
    });
    expect((await product.deliver(event)).status).toBe(200);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });
});
