import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { untilNothingIsPending } from "#tests/support/pending.ts";
import { type Running, startProcess } from "#tests/support/processes.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

const OTHERS = 30;

let database: TestDatabase;
let product: Product;
let stopped = false;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  stopped = false;
});
afterEach(async () => {
  stopped = true;
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  const claims = await database.sql`select from inbox_claims where event_ids <> '{}'`;
  await database.drop();
  expect(broken).toEqual([]);
  expect(claims).toEqual([]);
});

const env = {
  SECRET_KEY: SECRET_KEY.toString("base64"),
  LOG_LEVEL: "warn",
  WORKER_STUCK_SECONDS: "3",
  NODE_OPTIONS: `--max-old-space-size=120 --import=${join(import.meta.dirname, "support/hazards.ts")}`,
};

/** What a supervisor does: a worker is there again when it has died. Says how often that was. */
function keepWorking(): { deaths: number; stop(): Promise<void> } {
  const kept = { deaths: 0, stop };
  let worker: Running;
  let ending = false;
  const run = async () => {
    while (!ending && !stopped) {
      worker = startProcess("worker/main.ts", { ...env, DATABASE_URL: database.url });
      const { signal, code } = await worker.ended;
      if (ending) return;
      if (code !== 0 || signal) kept.deaths++;
      await database.sql`update workers set stopped_at = now() where pid = ${worker.pid} and stopped_at is null`;
      await sleep(200);
    }
  };
  const running = run();
  async function stop(): Promise<void> {
    ending = true;
    await worker.kill("SIGTERM");
    await running;
  }
  return kept;
}

describe("an event that kills its worker", () => {
  it.each([
    ["takes all memory", "evt_memory"],
    ["never comes back", "evt_loop"],
    ["ends the process at once", "evt_die"],
  ])("and %s is set aside after three crashes alone, and the others are done", async (_, prefix) => {
    const poison = await product.deliver(stripeEvent({ id: `${prefix}_1` }));
    for (let n = 0; n < OTHERS; n++) await product.deliver(stripeEvent());
    const kept = keepWorking();
    await untilNothingIsPending(database.sql, 90_000);
    await kept.stop();

    expect(await product.balance()).toBe(BigInt(OTHERS * 100));
    const [row] = await database.sql`
      select status, failure_class, attempts, crashes from inbox_events where id = ${poison.answer.event}`;
    expect(row).toEqual({ status: "failed", failure_class: "poison", attempts: 3, crashes: 0 });
    const attempts = await database.sql`
      select result, why from inbox_attempts where inbox_event_id = ${poison.answer.event} order by id`;
    expect(attempts.map(({ result }) => result)).toEqual(["crash", "crash", "poison"]);
    // Once with others, and never again: what it does afterwards, it does to a process of its own.
    expect(kept.deaths).toBe(1);
    // Nobody else got the blame.
    expect(
      await database.sql`select from inbox_events where crashes > 0 or lane <> 0 and status <> 'failed'`,
    ).toEqual([]);
  });

  it("by recursion without end is set aside likewise, without a process that dies", async () => {
    const poison = await product.deliver(stripeEvent({ id: "evt_stack_1" }));
    for (let n = 0; n < OTHERS; n++) await product.deliver(stripeEvent());
    const kept = keepWorking();
    await untilNothingIsPending(database.sql, 90_000);
    await kept.stop();
    expect(await product.balance()).toBe(BigInt(OTHERS * 100));
    const [row] = await database.sql`
      select status, failure_class, last_error from inbox_events where id = ${poison.answer.event}`;
    expect(row).toEqual({
      status: "failed",
      failure_class: "poison",
      last_error: "RangeError: Maximum call stack size exceeded",
    });
    expect(kept.deaths).toBe(0);
  });
});
