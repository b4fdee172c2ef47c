import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { createSourceCache } from "#lib/sources/cache.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;
let errors: unknown[] = [];
const pools: { end(options: { timeout: number }): Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { onUnavailable: (error) => errors.push(error) });
});
beforeEach(() => {
  errors = [];
});
afterEach(() => database.sql`drop trigger if exists refuse on inbox_events`);
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
  await database.drop();
  expect(broken).toEqual([]);
});

/** One more receiver on the same database, with a pool of its own. */
async function openReceiver(
  pool: Partial<Parameters<typeof connect>[0]>,
  options: Parameters<typeof createProduct>[1] = {},
): Promise<{ product: Product; sql: Sql }> {
  const sql = connect({ url: database.url, max: 2, name: "receive", ...pool }) as unknown as Sql;
  pools.push(sql);
  const onUnavailable = (error: unknown) => errors.push(error);
  return {
    sql,
    product: await createProduct(database.sql, { seeded: false, receiveSql: sql, onUnavailable, ...options }),
  };
}

const refuseInserts = (when: string, statement: string) =>
  database.sql.unsafe(`
    create or replace function refuse() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$;
    create ${when} on inbox_events ${when.includes("constraint") ? "deferrable initially deferred" : ""}
      for each row execute function refuse()`);

const rowsOf = async (event: Record<string, unknown>) => {
  const [row] = await database.sql`
    select count(*)::int as rows from inbox_events where event_id = ${event.id as string}`;
  return row!.rows;
};

describe("an event that the database does not confirm is never acknowledged", () => {
  it.each([
    [
      "refuses the insert: disk full",
      "trigger refuse before insert",
      "raise exception 'full' using errcode = '53100'",
    ],
    [
      "refuses the insert: a constraint of ours",
      "trigger refuse before insert",
      "raise exception 'x' using errcode = '23514'",
    ],
    [
      "refuses the commit",
      "constraint trigger refuse after insert",
      "raise exception 'no' using errcode = '40001'",
    ],
    ["shuts down", "trigger refuse before insert", "perform pg_terminate_backend(pg_backend_pid())"],
  ])("%s: 503, and the sender's retry is accepted", async (_, when, statement) => {
    await refuseInserts(when, statement);
    const event = stripeEvent();
    const refused = await product.deliver(event);
    expect(refused).toMatchObject({ status: 503, answer: { error: { code: "unavailable" } } });
    expect(refused.headers["retry-after"]).toBe("5");
    expect(errors).toHaveLength(1);
    expect(await rowsOf(event)).toBe(0);
    await database.sql`drop trigger refuse on inbox_events`;
    expect((await product.deliver(event)).answer.status).toBe("accepted");
  });

  it("does not commit in time: 503; it may be stored all the same, and the retry is a duplicate", async () => {
    const slow = await openReceiver({}, { storeTimeout: 150 });
    await refuseInserts("constraint trigger refuse after insert", "perform pg_sleep(0.4)");
    const event = stripeEvent();
    expect((await slow.product.deliver(event)).status).toBe(503);
    await database.sql`drop trigger refuse on inbox_events`;
    await vi.waitFor(async () => expect(await rowsOf(event)).toBe(1));
    expect((await slow.product.deliver(event)).answer.status).toBe("duplicate");
    expect(await rowsOf(event)).toBe(1);
  });

  it("has no free connection: 503 after the time allowed, and the retry is accepted once", async () => {
    const small = await openReceiver({ max: 1 }, { storeTimeout: 200 });
    // The source is loaded by now, so that storing alone is what waits.
    await small.product.deliver(stripeEvent());
    const busy = small.sql`select pg_sleep(0.6)`.execute();
    const event = stripeEvent();
    const start = Date.now();
    expect((await small.product.deliver(event)).status).toBe(503);
    expect(Date.now() - start).toBeLessThan(500);
    await busy;
    await vi.waitFor(async () => expect(await rowsOf(event)).toBe(1));
    expect((await small.product.deliver(event)).answer.status).toBe("duplicate");
  });

  it("cannot be reached: 503 for known and unknown sources alike", async () => {
    const lost = await openReceiver({ url: "postgres://nobody@127.0.0.1:1/none" });
    expect((await lost.product.deliver(stripeEvent())).status).toBe(503);
    expect((await lost.product.post("nobody", "{}")).status).toBe(503);
  });

  it("hangs: the source counts as not loadable after five seconds", async () => {
    vi.useFakeTimers();
    const cache = createSourceCache(() => new Promise(() => {}));
    const loading = expect(cache.get("stripe")).rejects.toThrow("could not be loaded within 5000 ms");
    await vi.advanceTimersByTimeAsync(5_000);
    await loading;
    vi.useRealTimers();
  });

  it("finds the queue full: 503, and what was in the queue is stored", async () => {
    const narrow = await openReceiver({}, { maxWaitingRows: 5 });
    await narrow.product.deliver(stripeEvent());
    await refuseInserts("trigger refuse before insert", "perform pg_sleep(0.2)");
    const first = narrow.product.deliver(stripeEvent());
    await sleep(50);
    const rest = await Promise.all(Array.from({ length: 10 }, () => narrow.product.deliver(stripeEvent())));
    expect((await first).status).toBe(200);
    expect(rest.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(5).fill(503)]);
    expect(rest.find(({ status }) => status === 503)?.headers["retry-after"]).toBe("5");
    expect(narrow.product.rejections.map(({ reason }) => reason)).toEqual(Array(5).fill("overloaded"));
  });
});

describe("what was acknowledged needs nothing more from the receiver", () => {
  it("is due at once, for any worker, without a hint and without another delivery", async () => {
    const { answer } = await product.deliver(stripeEvent());
    const [row] = await database.sql`
      select status, next_attempt_at <= now() as due from inbox_events where id = ${answer.event}`;
    expect(row).toEqual({ status: "pending", due: true });
    expect((await product.deliver(stripeEvent())).answer.status).toBe("accepted");
    await product.workUntilIdle();
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ status: "done", outcome: "applied" });
  });

  it("redelivered before anybody picked it up, it is a duplicate, and still processed once", async () => {
    const event = stripeEvent();
    const { answer } = await product.deliver(event);
    for (let n = 0; n < 3; n++) expect((await product.deliver(event)).answer.status).toBe("duplicate");
    const before = await product.balance();
    await product.workUntilIdle();
    expect(await product.balance()).toBe(before + 100n);
    expect((await findEvent(database.sql, answer.event)).status).toBe("done");
  });

  it("redelivered while a slow worker holds it, it is answered at once", async () => {
    const event = stripeEvent();
    const { answer } = await product.deliver(event);
    await database.sql.begin(async (tx) => {
      await tx`select from inbox_events where id = ${answer.event} for update`;
      const start = Date.now();
      expect((await product.deliver(event)).answer).toEqual({ status: "duplicate", event: answer.event });
      expect(Date.now() - start).toBeLessThan(1_000);
    });
  });
});

describe("the event key", () => {
  it("has no part that may be NULL, and takes a pair once", async () => {
    const columns = await database.sql`
      select column_name from information_schema.columns where table_name = 'inbox_events' and is_nullable = 'NO'
        and column_name in ('source_id', 'account', 'event_id')`;
    expect(columns).toHaveLength(3);
    const { answer } = await product.deliver(stripeEvent());
    const again = database.sql`
      insert into inbox_events select (jsonb_populate_record(e, '{"id":"01900000-0000-7000-8000-000000000000"}')).*
      from inbox_events e where id = ${answer.event}`;
    await expect(again).rejects.toMatchObject({ code: "23505" });
  });

  it("of an event that names no account is one, through two receivers at once", async () => {
    const other = await openReceiver({});
    for (let n = 0; n < 20; n++) {
      const event = stripeEvent();
      const answers = await Promise.all([product.deliver(event), other.product.deliver(event)]);
      expect(answers.map(({ answer }) => answer.status).sort()).toEqual(["accepted", "duplicate"]);
      expect(answers[0]!.answer.event).toBe(answers[1]!.answer.event);
    }
  });
});

describe("a duplicate that arrives while the first is not committed", () => {
  /** The first insert, in a transaction that stays open while `meanwhile` runs. */
  async function whileUncommitted<T>(
    event: unknown,
    end: "commit" | "rollback",
    meanwhile: () => Promise<T>,
  ): Promise<{ first: string; result: T }> {
    const running: Promise<T>[] = [];
    let first = "";
    await database.sql
      .begin(async (tx) => {
        const inside = await createProduct(database.sql, { seeded: false, receiveSql: tx as unknown as Sql });
        first = (await inside.deliver(event)).answer.event;
        running.push(meanwhile());
        await Promise.race([running[0], sleep(500)]);
        if (end === "rollback") throw new Error("rolled back");
      })
      .catch((error) => expect(error.message).toBe("rolled back"));
    return { first, result: await running[0]! };
  }

  it("waits for it and is a duplicate of it", async () => {
    const event = stripeEvent();
    const { first, result } = await whileUncommitted(event, "commit", () => product.deliver(event));
    expect(result).toMatchObject({ status: 200, answer: { status: "duplicate", event: first } });
  });

  it("waits for it and is the first when that is rolled back", async () => {
    const event = stripeEvent();
    const { result } = await whileUncommitted(event, "rollback", () => product.deliver(event));
    expect(result).toMatchObject({ status: 200, answer: { status: "accepted" } });
    expect(await rowsOf(event)).toBe(1);
  });

  it("is answered 503 when that takes too long, and its retry is a duplicate", async () => {
    const hasty = await openReceiver({ lockTimeout: 100 });
    const event = stripeEvent();
    const { first, result } = await whileUncommitted(event, "commit", () => hasty.product.deliver(event));
    expect(result.status).toBe(503);
    expect(errors[0]).toMatchObject({ code: "55P03" });
    expect((await hasty.product.deliver(event)).answer).toEqual({ status: "duplicate", event: first });
  });
});
