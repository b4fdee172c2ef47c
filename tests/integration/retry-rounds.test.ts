import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setSourceStatus } from "#lib/admin/set-source-status.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { type FailedTry, recordFailedTries } from "#lib/inbox/retry.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;
const workerId = uuidv7();

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await database.drop();
  expect(broken).toEqual([]);
});

const arrive = async () => (await product.deliver(stripeEvent())).answer.event;
const read = async (id: string) => (await database.sql`select * from inbox_events where id = ${id}`)[0]!;

/** A failed try as a worker records it that read the row as it is now. */
async function fail(id: string, error: unknown = new Error("no luck")): Promise<void> {
  const { attempts, round_attempts: roundAttempts } = await read(id);
  const tried: FailedTry = {
    id,
    sourceId: "stripe",
    attempts,
    roundAttempts,
    startedAt: new Date().toISOString(),
    error,
  };
  await recordFailedTries(database.sql, [tried], workerId);
}

/** Lets so many hours pass for this database: everything it remembers moves into the past. */
async function hoursPass(hours: number): Promise<void> {
  await database.sql`update inbox_events set round_started_at = round_started_at - make_interval(hours => ${hours})`;
  await database.sql`update sources set paused_at = paused_at - make_interval(hours => ${hours})`;
}
const set = (status: "paused" | "active") =>
  setSourceStatus(database.sql, { name: "tester", scopes: [] } as never, {
    id: "stripe",
    status,
    reason: "because",
  });

describe("a retry round", () => {
  it("ends when it failed for 72 hours", async () => {
    const id = await arrive();
    await fail(id);
    await hoursPass(71);
    await fail(id);
    expect(await read(id)).toMatchObject({ status: "pending", attempts: 2 });
    await hoursPass(1);
    await fail(id);
    expect(await read(id)).toMatchObject({
      status: "failed",
      failure_class: "exhausted",
      next_attempt_at: null,
    });
  });

  it("ends at 200 attempts", async () => {
    const id = await arrive();
    await fail(id);
    await database.sql`update inbox_events set attempts = 1000, round_attempts = 198 where id = ${id}`;
    await fail(id);
    expect(await read(id)).toMatchObject({ status: "pending", round_attempts: 199 });
    await fail(id);
    expect(await read(id)).toMatchObject({ status: "failed", failure_class: "exhausted" });
  });

  it("does not count the days for which its source was paused, whenever that was", async () => {
    const [first, second] = [await arrive(), await arrive()];
    await set("paused");
    await hoursPass(1_000);
    await set("active");
    await fail(first);
    await hoursPass(40);
    await set("paused");
    await hoursPass(500);
    // A worker that held the row when the source was paused still records what became of it.
    await fail(second);
    await hoursPass(100);
    await set("active");
    await hoursPass(31);
    for (const id of [first, second]) await fail(id);
    expect(await read(first)).toMatchObject({ status: "pending", attempts: 2 });
    expect(await read(second)).toMatchObject({ status: "pending", attempts: 2 });
    await hoursPass(1);
    for (const id of [first, second]) await fail(id);
    expect(await read(first)).toMatchObject({ status: "failed", failure_class: "exhausted" });
    expect(await read(second)).toMatchObject({ status: "pending" });
    await hoursPass(40);
    await fail(second);
    expect(await read(second)).toMatchObject({ status: "failed", failure_class: "exhausted" });
  });

  it("goes on from the largest number of attempts that the column holds", async () => {
    const id = await arrive();
    await database.sql`update inbox_events set attempts = 2147483647 where id = ${id}`;
    await fail(id);
    expect(await read(id)).toMatchObject({
      status: "pending",
      attempts: 2_147_483_647,
      last_error: "Error: no luck",
    });
  });

  it("schedules between one second and one hour ahead on the database's clock", async () => {
    const id = await arrive();
    for (let round = 0; round < 15; round++) {
      await fail(id);
      const [row] = await database.sql<{ seconds: number }[]>`
        select extract(epoch from next_attempt_at - now())::float8 as seconds from inbox_events where id = ${id}`;
      expect(row!.seconds).toBeGreaterThan(0);
      expect(row!.seconds).toBeLessThanOrEqual(3_600);
    }
  });
});

describe("the record of a failed try", () => {
  it("leaves a completion by somebody else alone", async () => {
    const id = await arrive();
    const before = await read(id);
    await product.workUntilIdle();
    const done = await read(id);
    const tried = {
      id,
      sourceId: "stripe",
      attempts: before.attempts,
      roundAttempts: 0,
      startedAt: new Date().toISOString(),
    };
    await recordFailedTries(database.sql, [{ ...tried, error: new Error("late") }], workerId);
    expect(await read(id)).toEqual(done);
    expect(await product.balance()).toBe(100n);
    expect(await database.sql`select from inbox_attempts`).toHaveLength(1);
  });

  it("leaves a newer try of somebody else alone", async () => {
    const id = await arrive();
    const { attempts } = await read(id);
    await fail(id, new Error("newer"));
    const tried = {
      sourceId: "stripe",
      id,
      attempts,
      roundAttempts: 0,
      startedAt: new Date().toISOString(),
      error: new Error("late"),
    };
    await recordFailedTries(database.sql, [tried], workerId);
    expect(await read(id)).toMatchObject({ attempts: 1, last_error: "Error: newer" });
  });

  it("says how long it took, who tried and what was the cause", async () => {
    const id = await arrive();
    await fail(id, Object.assign(new Error("lock timeout"), { code: "55P03" }));
    const [attempt] = await database.sql`
      select kind, result, why, worker_id, finished_at >= started_at as ordered from inbox_attempts`;
    expect(attempt).toEqual({
      kind: "process",
      result: "retry",
      why: "55P03: lock timeout",
      worker_id: workerId,
      ordered: true,
    });
  });
});
