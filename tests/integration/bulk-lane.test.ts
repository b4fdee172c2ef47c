import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { LANES } from "#lib/inbox/lanes.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { untilTrue } from "#tests/support/pending.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";
import { startInboxLoop } from "#worker/inbox.ts";

const QUEUED = 20_000;

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await database.drop();
  expect(broken).toEqual([]);
});

/** Events that a bulk operation armed: due for longer than anything that comes now. Nothing takes their type. */
async function queueReplays(): Promise<void> {
  await database.sql`
    with queued as (insert into inbox_events (id, source_id, account, event_id, type, mode, status, content_digest, body_digest,
      body_bytes, body_expires_on, next_attempt_at, lane)
    select gen_random_uuid(), 'stripe', 'acct_acme', 'evt_old_' || n, 'invoice.other', 'live', 'pending',
      sha256('x'), sha256('x'), 1, current_date + 30, now() - interval '1 hour', ${LANES.BULK}
    from generate_series(1, ${QUEUED}::int) n returning id, body_expires_on)
    insert into inbox_bodies (inbox_event_id, expires_on, body, headers) select id, body_expires_on, 'x', '{}' from queued`;
}

/** Bulk transactions that ended between the arrival of a live event and its completion. */
async function batchesBefore(id: string): Promise<number> {
  const [row] = await database.sql<{ batches: number }[]>`
    select count(distinct attempt.started_at)::int as batches
    from inbox_attempts attempt join inbox_events replay on replay.id = attempt.inbox_event_id, inbox_events live
    where live.id = ${id} and replay.event_id like 'evt_old_%'
      and attempt.finished_at between live.received_at and live.finished_at`;
  return row!.batches;
}

it("a live event is done within a few batches while 20,000 replays are queued", {
  timeout: 60_000,
}, async () => {
  await queueReplays();
  let batches = 0;
  const onBatch = ({ claimed }: { claimed: number }) => {
    if (claimed > 0) batches++;
  };
  const loop = startInboxLoop({
    sql: database.sql,
    workerId: uuidv7(),
    concurrency: 1,
    batchSize: 100,
    pollInterval: 50,
    onBatch,
  });
  const needed: number[] = [];
  try {
    await untilTrue(async () => [{ started: batches > 2 }]);
    for (let n = 0; n < 5; n++) {
      const { answer } = await product.deliver(stripeEvent());
      loop.wake();
      await untilTrue(
        () => database.sql`select status = 'done' from inbox_events where id = ${answer.event}`,
      );
      needed.push(await batchesBefore(answer.event));
    }
    const [row] =
      await database.sql`select count(*)::int as queued from inbox_events where lane = ${LANES.BULK}`;
    expect(row!.queued).toBeGreaterThan(QUEUED / 2);
  } finally {
    await loop.stop();
  }
  needed.sort((a, b) => a - b);
  // One that was under way, and those that come between the steps of the live one.
  expect(needed[2]).toBeLessThanOrEqual(8);
  expect(await product.balance()).toBe(500n);
});

it("the live lane takes no row of the bulk lane", async () => {
  await queueReplays();
  await product.deliver(stripeEvent());
  const { claimed } = await product.work();
  expect(claimed).toBe(1);
  const [row] =
    await database.sql`select count(*)::int as queued from inbox_events where lane = ${LANES.BULK}`;
  expect(row).toEqual({ queued: QUEUED });
});
