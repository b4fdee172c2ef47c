import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const POOL = "receive under fault";

let database: TestDatabase;
let pool: Sql & { end(options: { timeout: number }): Promise<void> };
let product: Product;
let errors: unknown[];

beforeEach(async () => {
  database = await createTestDatabase();
  pool = connect({ url: database.url, max: 2, name: POOL }) as unknown as typeof pool;
  errors = [];
  product = await createProduct(database.sql, {
    receiveSql: pool,
    onUnavailable: (error) => errors.push(error),
  });
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await pool.end({ timeout: 1 });
  await database.drop();
  expect(broken).toEqual([]);
});

const onInsert = (statement: string) =>
  database.sql.unsafe(`
    create or replace function on_insert() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$;
    create or replace trigger on_insert before insert on inbox_events for each row execute function on_insert()`);
const events = (count: number) => Array.from({ length: count }, () => stripeEvent());
const deliverAll = (batch: readonly unknown[]) => Promise.all(batch.map((event) => product.deliver(event)));

describe("one row of a batch that PostgreSQL refuses", () => {
  it.each([
    ["as data", "22P05", { status: 200, answer: { status: "quarantined" } }],
    ["by a constraint", "23514", { status: 503 }],
  ])("%s does not fail the others", async (_, code, expected) => {
    await onInsert(`if new.subject = 'in_bad' then raise exception 'bad' using errcode = '${code}'; end if`);
    const batch = events(120);
    batch[60] = stripeEvent({}, stripeInvoice({ id: "in_bad" }));
    const answers = await deliverAll(batch);
    expect(answers[60]).toMatchObject(expected);
    answers.splice(60, 1);
    expect(answers.every(({ status, answer }) => status === 200 && answer.status === "accepted")).toBe(true);
    const [row] = await database.sql`select count(*)::int as rows from inbox_events where status = 'pending'`;
    expect(row).toEqual({ rows: 119 });
  });

  it("in a batch with repetitions of others fails neither these nor those", async () => {
    await onInsert("if new.subject = 'in_bad' then raise exception 'bad' using errcode = '23514'; end if");
    const [known, fresh] = [stripeEvent(), stripeEvent()];
    const { answer } = await product.deliver(known);
    const bad = stripeEvent({}, stripeInvoice({ id: "in_bad" }));
    const batch = [stripeEvent(), known, bad, fresh, fresh, bad, known];
    const states = (await deliverAll(batch)).map((each) => [
      each.status,
      each.answer.status,
      each.answer.event,
    ]);
    expect(states.map(([status, state]) => state ?? status)).toEqual([
      "accepted",
      "duplicate",
      503,
      "accepted",
      "duplicate",
      503,
      "duplicate",
    ]);
    expect([states[1]![2], states[6]![2]]).toEqual([answer.event, answer.event]);
  });
});

describe("a connection that is lost in the middle of a batch", () => {
  it("answers 503, and the senders' retries make one row of each event, time and again", async () => {
    await onInsert("perform pg_sleep(0.001)");
    let over = false;
    let kills = 0;
    const killing = (async () => {
      while (!over) {
        await sleep(20 + Math.random() * 300);
        const { count } = await database.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = ${POOL} and state = 'active' and query like '%inbox_events%'`;
        kills += count;
      }
    })();
    const refused = new Set<unknown>();
    const deliver = async (event: unknown): Promise<string> => {
      for (let tries = 0; tries < 100; tries++) {
        const { status, answer } = await product.deliver(event);
        if (status === 200) return answer.event;
        expect(status).toBe(503);
        refused.add(event);
        await sleep(20);
      }
      throw new Error("refused for ever");
    };
    const batch = events(300);
    const acknowledged: string[] = [];
    for (let at = 0; at < batch.length; at += 60)
      acknowledged.push(...(await Promise.all(batch.slice(at, at + 60).map(deliver))));
    over = true;
    await killing;
    expect(kills).toBeGreaterThan(1);
    expect(refused.size).toBeGreaterThan(0);
    expect(new Set(acknowledged).size).toBe(batch.length);
    const rows = await database.sql`select id, event_id from inbox_events`;
    expect(new Map(rows.map(({ id, event_id }) => [event_id, id]))).toEqual(
      new Map(batch.map(({ id }, n) => [id, acknowledged[n]])),
    );
    expect(rows).toHaveLength(batch.length);
  });

  it("between insert and answer: the retry finds the row that is there", async () => {
    const event = stripeEvent();
    await product.deliver(event);
    // The repetition's own statement fails; the new ones of its batch were committed before.
    await database.sql.unsafe(`
      create function on_repeat() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger on_repeat before insert on inbox_delivery_counts for each row execute function on_repeat()`);
    const batch = [stripeEvent(), stripeEvent(), event];
    const answers = await deliverAll(batch);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    await database.sql`drop trigger on_repeat on inbox_delivery_counts`;
    expect((await deliverAll(batch)).map(({ answer }) => answer.status)).toEqual([
      "duplicate",
      "duplicate",
      "duplicate",
    ]);
  });
});

describe("more than the queue holds", () => {
  it("is refused with 503 by its bytes, and what was let in is stored whole", async () => {
    const narrow = await createProduct(database.sql, {
      seeded: false,
      receiveSql: pool,
      maxWaitingBytes: 3_000_000,
    });
    await narrow.deliver(stripeEvent());
    await onInsert("perform pg_sleep(0.3)");
    const large = () => stripeEvent({ padding: "x".repeat(900_000) });
    const first = narrow.deliver(stripeEvent());
    await sleep(50);
    const batch = Array.from({ length: 8 }, large);
    const answers = await Promise.all(batch.map((event) => narrow.deliver(event)));
    expect((await first).status).toBe(200);
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(5);
    for (const { answer } of stored)
      expect((await findEvent(database.sql, answer.event)).body.length).toBeGreaterThan(900_000);
  });
});
