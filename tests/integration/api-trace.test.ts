import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { replayEvent } from "#lib/inbox/replay.ts";
import { type InvoiceTrace, loadInvoiceTrace } from "#lib/trace/invoice.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { linkCustomer } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { linked: false });
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await database.drop();
  expect(broken).toEqual([]);
});

const key = { source: "stripe", account: "acct_acme", invoice: "in_1" };
const trace = async (): Promise<InvoiceTrace> => {
  const found = await loadInvoiceTrace(database.sql, key);
  if (!found) throw new Error("no trace");
  return found;
};
const titles = ({ items }: InvoiceTrace) => items.map(({ title }) => title);

describe("the trace of an invoice", () => {
  it("is null where nothing is known, and for the same invoice under another key", async () => {
    await product.deliver(stripeEvent({}, stripeInvoice({ id: "in_1" })));
    expect(await loadInvoiceTrace(database.sql, { ...key, invoice: "in_2" })).toBeNull();
    expect(await loadInvoiceTrace(database.sql, { ...key, account: "acct_acme~test" })).toBeNull();
    expect(await loadInvoiceTrace(database.sql, { ...key, source: "other" })).toBeNull();
  });

  it("tells in order what happened, from receipt to replay", async () => {
    const invoice = stripeInvoice({ id: "in_1" });
    const event = stripeEvent({ type: "invoice.payment_succeeded" }, invoice);
    const { answer } = await product.deliver(event);
    await product.workUntilIdle();
    expect((await trace()).sentence).toMatch(
      /nothing was granted yet: customer cus_acme is not linked to a workspace\.$/,
    );

    await linkCustomer(database.sql);
    await product.workUntilIdle();
    await product.deliver(event);
    await product.deliver(stripeEvent({}, invoice));
    await product.workUntilIdle();
    await replayEvent(database.sql, {
      id: answer.event,
      actor: "support",
      reason: "customer asked",
      dryRun: false,
    });

    const story = await trace();
    expect(titles(story)).toEqual([
      "Received invoice.payment_succeeded",
      "Processed: waiting",
      "Processed: done",
      "initial-credit-grant: applied",
      "+100 credits for Acme",
      "email, confirmation: pending",
      "Received again, delivery 2",
      "Received invoice.paid",
      "Processed: done",
      "initial-credit-grant: already applied",
      "Replayed by support: already applied",
    ]);
    expect(story).toMatchObject({ mode: "live", workspace: { id: "ws_acme", name: "Acme" }, complete: true });
    expect(story.sentence).toMatch(
      /^100 credits were granted to Acme on \d+ \w+ \d{4} at [\d:]{8} UTC, .+ after the first notice came; 2 more notices changed nothing\. The confirmation is waiting to be sent\.$/,
    );
    const times = story.items.map(({ at }) => at);
    expect(times.every((at) => /^\d{4}-\d\d-\d\dT[\d:]{8}(\.\d{1,6})?Z$/.test(at))).toBe(true);
    const ids = story.items.map(({ kind, id }) => `${kind} ${id}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(() => JSON.stringify(story)).not.toThrow();
  });

  it("shows other content under the same id, and notes", async () => {
    const event = stripeEvent({}, stripeInvoice({ id: "in_1" }));
    await product.deliver(event);
    await product.deliver({ ...event, created: 1 });
    await database.sql`
      insert into notes (id, source_id, account, subject, author, text)
      values (gen_random_uuid(), 'stripe', 'acct_acme', 'in_1', 'support', 'looked at it')`;
    const story = await trace();
    expect(titles(story)).toEqual([
      "Received invoice.paid",
      "Received again, delivery 2",
      "Received other content under the same id",
      "Note by support",
    ]);
  });

  it("orders by every digit of the time", async () => {
    for (const [author, at] of [
      ["third", ".5"],
      ["first", ""],
      ["second", ".000001"],
      ["fourth", ".50001"],
    ]) {
      await database.sql`
        insert into notes (id, source_id, account, subject, author, text, created_at)
        values (gen_random_uuid(), 'stripe', 'acct_acme', 'in_1', ${author!}, '', ${`2026-03-03 10:00:00${at}+00`})`;
    }
    expect(titles(await trace())).toEqual(
      ["first", "second", "third", "fourth"].map((name) => `Note by ${name}`),
    );
  });
});
