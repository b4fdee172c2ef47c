import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

async function deliverText(body: string) {
  const time = Math.floor(Date.now() / 1000);
  const mac = createHmac("sha256", SECRET).update(`${time}.${body}`).digest("hex");
  return (await product.post("stripe", body, { "stripe-signature": `t=${time},v1=${mac}` })).answer;
}

async function deliveriesOf(event: string) {
  const rows = await database.sql`
    select ordinal::int, origin, body from inbox_deliveries where inbox_event_id = ${event} order by ordinal`;
  const [count] = await database.sql`
    select count::int from inbox_delivery_counts where inbox_event_id = ${event}`;
  return { rows: [...rows], count: count?.count };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

describe("sixty redeliveries", () => {
  it.each([
    ["one after the other", false],
    ["all at once", true],
  ])("%s: the newest 50 are kept, and all are counted", async (_, atOnce) => {
    const body = JSON.stringify(stripeEvent());
    const { event } = await deliverText(body);
    if (atOnce) await Promise.all(range(1, 60).map(() => deliverText(body)));
    else for (let n = 0; n < 60; n++) await deliverText(body);
    const { rows, count } = await deliveriesOf(event);
    expect(count).toBe(61);
    expect(rows.map(({ ordinal }) => ordinal)).toEqual(range(12, 61));
    expect(rows.every((row) => row.origin === "webhook" && row.body === null)).toBe(true);
  });

  it("with the first among them are one event", async () => {
    const body = JSON.stringify(stripeEvent());
    const answers = await Promise.all(range(1, 61).map(() => deliverText(body)));
    expect(new Set(answers.map(({ event }) => event)).size).toBe(1);
    expect(answers.filter(({ status }) => status === "accepted")).toHaveLength(1);
    expect((await deliveriesOf(answers[0]!.event)).count).toBe(61);
  });
});

it("a delivery's bytes are kept only where they differ from the first's", async () => {
  const first = stripeEvent();
  const { event } = await deliverText(JSON.stringify(first));
  const other = JSON.stringify({ ...first, pending_webhooks: 0 });
  await deliverText(JSON.stringify(first));
  await deliverText(other);
  await deliverText(JSON.stringify(first));
  const { rows } = await deliveriesOf(event);
  expect(rows.map(({ body }) => body?.toString() ?? null)).toEqual([null, other, null]);
});

describe("other content under an accepted event id", () => {
  const invoiceOf = (amount: number) => stripeInvoice({ id: "in_conflict", amount_paid: amount });
  const conflictsOf = async (event: string) => [
    ...(await database.sql`
      select seen, convert_from(body, 'UTF8')::json #>> '{data,object,amount_paid}' as amount
      from inbox_conflicts where inbox_event_id = ${event} order by 2`),
  ];

  it.each([
    ["one after the other", false],
    ["all at once", true],
  ])("%s: is kept once per content, with how often it came", async (_, atOnce) => {
    const event = stripeEvent({}, invoiceOf(1000));
    const first = await deliverText(JSON.stringify(event));
    const amounts = [2000, 3000, 2000, 1000, 2000, 3000];
    const bodies = amounts.map((amount, n) =>
      JSON.stringify({ ...event, pending_webhooks: n, data: { object: invoiceOf(amount) } }),
    );
    const answers = [];
    if (atOnce) answers.push(...(await Promise.all(bodies.map(deliverText))));
    else for (const body of bodies) answers.push(await deliverText(body));
    expect(answers).toEqual(
      amounts.map((amount) => ({
        status: amount === 1000 ? "duplicate" : "quarantined",
        event: first.event,
      })),
    );
    expect(await conflictsOf(first.event)).toEqual([
      { seen: 3, amount: "2000" },
      { seen: 2, amount: "3000" },
    ]);
    expect((await deliveriesOf(first.event)).count).toBe(7);
    expect(await findEvent(database.sql, first.event)).toMatchObject({ status: "pending" });
    await product.workUntilIdle();
  });

  it("does not change what the first one grants", async () => {
    const before = await product.balance();
    const event = stripeEvent({}, stripeInvoice({ id: "in_first" }));
    const first = await deliverText(JSON.stringify(event));
    await deliverText(JSON.stringify({ ...event, data: { object: stripeInvoice({ id: "in_second" }) } }));
    await product.workUntilIdle();
    expect(await product.balance()).toBe(before + 100n);
    expect(await findEvent(database.sql, first.event)).toMatchObject({
      subject: "in_first",
      outcome: "applied",
    });
  });
});

it("digests outlive bodies: without them a duplicate is a duplicate, and a conflict a conflict", async () => {
  const event = stripeEvent();
  const first = await deliverText(JSON.stringify(event));
  await product.workUntilIdle();
  const [partition] = await database.sql`
    select 'inbox_bodies_' || to_char(body_expires_on, 'YYYYMMDD') as name from inbox_events where id = ${first.event}`;
  await database.sql`drop table ${database.sql(partition!.name)}`;
  expect(await findEvent(database.sql, first.event)).toMatchObject({ status: "done", body: null });

  const again = await deliverText(JSON.stringify(event));
  expect(again).toEqual({ status: "duplicate", event: first.event });
  const respelled = await deliverText(JSON.stringify({ ...event, pending_webhooks: 0 }, null, 1));
  expect(respelled).toEqual({ status: "duplicate", event: first.event });
  const other = JSON.stringify({ ...event, data: { object: stripeInvoice({ amount_paid: 1 }) } });
  expect(await deliverText(other)).toEqual({ status: "quarantined", event: first.event });
  const before = await product.balance();
  await product.workUntilIdle();
  expect(await product.balance()).toBe(before);
});

describe("a redelivery of an event that failed", () => {
  async function fail(failureClass: string) {
    const event = stripeEvent();
    const { event: id } = await deliverText(JSON.stringify(event));
    await database.sql`
      update inbox_events set status = 'failed', failure_class = ${failureClass}, next_attempt_at = null,
        attempts = 200, round_attempts = 200, round_started_at = now() - interval '3 days' where id = ${id}`;
    return { event, id };
  }

  it("for want of retries arms it again, in a new round, and it is processed", async () => {
    const { event, id } = await fail("exhausted");
    expect(await deliverText(JSON.stringify(event))).toEqual({ status: "duplicate", event: id });
    const [row] = await database.sql`
      select status, attempts, round_attempts, round_started_at, next_attempt_at <= now() as due
      from inbox_events where id = ${id}`;
    expect(row).toEqual({
      status: "pending",
      attempts: 200,
      round_attempts: 0,
      round_started_at: null,
      due: true,
    });
    await product.workUntilIdle();
    expect(await findEvent(database.sql, id)).toMatchObject({ status: "done", outcome: "applied" });
  });

  it.each(["poison", "invalid", "mismatch"])("as %s leaves it as it is", async (failureClass) => {
    const { event, id } = await fail(failureClass);
    expect(await deliverText(JSON.stringify(event))).toEqual({ status: "duplicate", event: id });
    expect(await findEvent(database.sql, id)).toMatchObject({ status: "failed", failureClass });
  });

  it("with other content arms nothing", async () => {
    const { event, id } = await fail("exhausted");
    const other = { ...event, data: { object: stripeInvoice({ amount_paid: 1 }) } };
    expect((await deliverText(JSON.stringify(other))).status).toBe("quarantined");
    expect(await findEvent(database.sql, id)).toMatchObject({ status: "failed", failureClass: "exhausted" });
  });
});
