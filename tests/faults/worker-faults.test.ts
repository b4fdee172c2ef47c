import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { untilNothingIsPending, untilTrue } from "#tests/support/pending.ts";
import { type Running, startProcess } from "#tests/support/processes.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

const EVENTS = 40;

let database: TestDatabase;
let product: Product;
let started: Running[];

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  started = [];
});
afterEach(async () => {
  for (const worker of started) {
    process.kill(worker.pid, "SIGCONT");
    await worker.kill("SIGTERM");
  }
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  const tried = await database.sql`
    select status, attempts, crashes from inbox_events where status <> 'done' or attempts <> 1 or crashes <> 0`;
  await database.drop();
  expect(broken).toEqual([]);
  // Done once, by one attempt, and nobody was blamed for what happened to its worker.
  expect([...tried]).toEqual([]);
});

function startWorker(env: Record<string, string> = {}, file = "worker/main.ts"): Running {
  const worker = startProcess(file, {
    DATABASE_URL: database.url,
    SECRET_KEY: SECRET_KEY.toString("base64"),
    LOG_LEVEL: "warn",
    ...env,
  });
  started.push(worker);
  return worker;
}

const preload = (name: string) => `--import=${join(import.meta.dirname, "support", name)}`;

async function deliver(count = EVENTS): Promise<void> {
  for (let n = 0; n < count; n++) await product.deliver(stripeEvent());
}

const isStopped = (pid: number) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));

describe("a worker that is stopped in the middle of a transaction, beyond every timeout", () => {
  it("loses its rows to another, overwrites nothing when it goes on, and works again", async () => {
    await product.deliver(stripeEvent({ id: "evt_stop_1" }));
    await deliver();
    const stopped = startWorker({ NODE_OPTIONS: preload("stop-inside.ts"), WORKER_STUCK_SECONDS: "2" });
    await untilTrue(async () => [{ stopped: isStopped(stopped.pid) }]);
    const other = startWorker();
    // Held by the stopped one until the database ends its idle transaction; then the other takes them.
    await untilNothingIsPending(database.sql, 60_000);
    const before = await database.sql`select id, status, attempts, finished_at from inbox_events order by id`;

    const [{ at }] = (await database.sql`select now() as at`) as unknown as [{ at: string }];
    process.kill(stopped.pid, "SIGCONT");
    await untilTrue(
      () => database.sql`select seen_at > ${at}::timestamptz from workers where pid = ${stopped.pid}`,
    );
    expect([
      ...(await database.sql`select id, status, attempts, finished_at from inbox_events order by id`),
    ]).toEqual([...before]);
    await other.kill("SIGTERM");
    started.pop();
    await deliver(1);
    await untilNothingIsPending(database.sql);
    expect(await product.balance()).toBe(BigInt((EVENTS + 2) * 100));
  });
});

describe("a worker", () => {
  it("whose backends are terminated again and again does everything once", async () => {
    const worker = startWorker();
    await untilTrue(() => database.sql`select count(*) > 0 from workers`);
    let terminated = 0;
    for (let round = 0; round < 12; round++) {
      await deliver(10);
      const rows = await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'counterfoil%'`;
      terminated += rows.length;
      await sleep(100);
    }
    await untilNothingIsPending(database.sql, 60_000);
    expect(terminated).toBeGreaterThan(20);
    expect(await product.balance()).toBe(12_000n);
    expect(readFileSync(`/proc/${worker.pid}/status`, "utf8")).toMatch(/^State:/m);
  });

  it("that lost its listener finds what nobody told it, and listens again", async () => {
    startWorker();
    const isListening = () => database.sql`
      select count(*) > 0 from pg_stat_activity
      where datname = current_database() and application_name = 'counterfoil listener' and query ilike 'listen%'`;
    await untilTrue(isListening);
    await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'counterfoil listener'`;
    await deliver(3);
    await untilNothingIsPending(database.sql);
    await untilTrue(isListening);
    expect(await product.balance()).toBe(300n);
  });

  it.each([
    ["five minutes ahead", 300_000],
    ["five minutes behind", -300_000],
  ])("whose clock is %s goes by the database's", async (_, offset) => {
    await deliver();
    startWorker({ NODE_OPTIONS: preload("shift-clock.ts"), CLOCK_OFFSET_MS: String(offset) });
    await untilNothingIsPending(database.sql);
    expect(await product.balance()).toBe(BigInt(EVENTS * 100));
    const [row] = await database.sql`
      select bool_and(finished_at between now() - interval '1 minute' and now()) as on_time from (
        select finished_at from inbox_events union all select finished_at from inbox_attempts
        union all select created_at from credit_entries) times`;
    expect(row).toEqual({ on_time: true });
  });

  it("of the version before works beside this one", async () => {
    await deliver();
    const older = startWorker({}, "tests/faults/support/bookless-worker.ts");
    await older.until(/at work/);
    startWorker();
    await deliver();
    await untilNothingIsPending(database.sql);
    expect(await product.balance()).toBe(BigInt(EVENTS * 200));
  });

  it("that is too old for the schema is refused, and tells why", async () => {
    await database.sql`update schema_compatibility set oldest_version = '99.0.0'`;
    const refused = startWorker();
    expect((await refused.ended).code).toBe(1);
    expect(refused.output()).toContain("99.0.0");
    started.pop();
  });

  it("that is told to stop gives back what it has at work", async () => {
    await deliver(200);
    const worker = startWorker();
    await untilTrue(() => database.sql`select count(*) > 0 from inbox_attempts`);
    await worker.kill("SIGTERM");
    started.pop();
    expect(await database.sql`select from inbox_claims`).toEqual([]);
    expect(await database.sql`select from inbox_events where lane <> 0 or crashes <> 0`).toEqual([]);
    startWorker();
    await untilNothingIsPending(database.sql);
    expect(await product.balance()).toBe(20_000n);
  });
});
