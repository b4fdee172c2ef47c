import { afterAll, beforeAll, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { readDatabaseFigures } from "#lib/telemetry/database-figures.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});

afterAll(async () => {
  expect((await checkInvariants(database.sql)).filter(({ ok }) => !ok)).toEqual([]);
  await database.drop();
});

const read = async () => (await readDatabaseFigures(database.sql)).metrics();

it("tell what is unfinished, for how long, and when a source was last heard of", async () => {
  await product.deliver(stripeEvent({ type: "invoice.paid" }, stripeInvoice()));
  await product.deliver(stripeEvent({ type: "invoice.paid" }, stripeInvoice({ customer: "cus_unlinked" })));
  const before = await read();
  expect(before).toMatch(/counterfoil_inbox_events\{source="stripe",status="pending"\} 2/);
  expect(before).toMatch(/counterfoil_inbox_oldest_due_seconds\{source="stripe"\} \d/);
  await product.workUntilIdle();
  const after = await read();
  expect(after).toMatch(/counterfoil_inbox_events\{source="stripe",status="pending"\} 0/);
  expect(after).toMatch(/counterfoil_inbox_events\{source="stripe",status="waiting"\} 1/);
  expect(after).toMatch(/counterfoil_inbox_oldest_due_seconds\{source="stripe"\} 0/);
  expect(after).toMatch(/counterfoil_outbox_messages\{channel="email",status="pending"\} 1/);
  expect(after).toMatch(/counterfoil_source_last_receipt_timestamp_seconds\{source="stripe"\} \d{10}/);
});
