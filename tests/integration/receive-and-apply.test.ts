import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

describe("a paid invoice", () => {
  it("grants 100 credits once, with its confirmation intent", async () => {
    const event = stripeEvent();
    expect((await product.deliver(event)).answer.status).toBe("accepted");
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
    expect((await product.deliver(event)).answer.status).toBe("duplicate");
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
    const messages = await database.sql`select channel, destination, status from outbox_messages`;
    expect([...messages]).toEqual([
      { channel: "email", destination: "billing@acme.example", status: "pending" },
    ]);
  });

  it("is granted once for its two event types, in one batch and in two", async () => {
    for (const apart of [true, false]) {
      const invoice = stripeInvoice();
      await product.deliver(stripeEvent({ type: "invoice.payment_succeeded" }, invoice));
      if (apart) await product.workUntilIdle();
      await product.deliver(stripeEvent({ type: "invoice.paid" }, invoice));
      await product.workUntilIdle();
      const outcomes =
        await database.sql`select outcome from inbox_events where subject = ${invoice.id as string} order by received_at`;
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["applied", "already_applied"]);
    }
    expect(await product.balance()).toBe(200n);
  });

  it("delivered 50 times at once is one row and one grant", async () => {
    const event = stripeEvent();
    const answers = await Promise.all(Array.from({ length: 50 }, () => product.deliver(event)));
    expect(answers.filter(({ answer }) => answer.status === "accepted")).toHaveLength(1);
    expect(answers.filter(({ answer }) => answer.status === "duplicate")).toHaveLength(49);
    await Promise.all([product.work(), product.work(), product.work()]);
    expect(await product.balance()).toBe(100n);
    const [row] = await database.sql`select count(*)::int as rows from inbox_events`;
    expect(row).toEqual({ rows: 1 });
  });
});
