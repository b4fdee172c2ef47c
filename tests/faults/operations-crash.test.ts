import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { ask, begin, look } from "#tests/support/operations.ts";
import { startProcess } from "#tests/support/processes.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { findBroken } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const EVENTS = 60;

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  const events = Array.from({ length: EVENTS }, () => stripeEvent({}, stripeInvoice()));
  await Promise.all(events.map((event) => product.deliver(event)));
  await database.sql`
    update inbox_events set status = 'failed', failure_class = 'exhausted', next_attempt_at = null`;
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const startWorker = (failpoint?: string) =>
  startProcess("worker/main.ts", {
    DATABASE_URL: database.url,
    SECRET_KEY: SECRET_KEY.toString("base64"),
    COUNTERFOIL_FAILPOINT: failpoint,
    LOG_LEVEL: "error",
  });

async function untilDone(operation: string): Promise<void> {
  for (let end = Date.now() + 30_000; Date.now() < end; await sleep(50))
    if ((await look(database.sql, operation)).status === "done") return;
  throw new Error(`not done: ${JSON.stringify(await look(database.sql, operation))}`);
}

it.each([
  ["dismiss", "dismissed", 1],
  ["replay", "applied", 7],
])(
  "a worker killed in the middle of a bulk %s leaves the rest to the next one, each item once",
  async (action, verdict, passage) => {
    const operation = await begin(database.sql, ask(action, { status: "failed" }));
    const { signal } = await startWorker(`operation.before-commit:${passage}`).ended;
    expect(signal).toBe("SIGKILL");
    const { settled } = await look(database.sql, operation);
    expect(settled).toBeLessThan(EVENTS);
    const workers = [startWorker(), startWorker()];
    await untilDone(operation);
    for (const worker of workers) await worker.kill("SIGTERM");
    const { verdicts } = await look(database.sql, operation);
    const [row] = await database.sql`
    select count(*)::int as audits, count(distinct target)::int as events from audit_entries
    where target like 'inbox:%'`;
    expect(row).toEqual({ audits: EVENTS, events: EVENTS });
    expect(Object.values(verdicts).reduce((sum, items) => sum + items, 0)).toBe(EVENTS);
    if (action === "dismiss") expect(verdicts).toEqual({ [verdict]: EVENTS });
    else expect(await product.balance()).toBe(BigInt(EVENTS * 100));
  },
);
