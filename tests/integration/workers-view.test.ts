import { afterEach, beforeEach, expect, it } from "vitest";
import { readWorkers } from "#lib/console/workers.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

it("the console sees who lives, who is silent, who ended, and what each has at work", async () => {
  const product = await createProduct(database.sql);
  const [at, other] = [await product.deliver(stripeEvent()), await product.deliver(stripeEvent())];
  const ids = ["a", "b", "c"].map((letter) => `01900000-0000-7000-8000-00000000000${letter}`);
  await database.sql`
    insert into workers (id, role, host, pid, version, seen_at, stopped_at) values
    (${ids[0]!}, 'worker', 'h', 1, '0.1.0', now(), null), (${ids[1]!}, 'worker', 'h', 2, '0.1.0', now() - interval '5 minutes', null),
    (${ids[2]!}, 'alone', 'h', 3, '0.1.0', now(), now())`;
  await database.sql`
    insert into inbox_claims (worker_id, slot, event_ids, alone, locked)
    values (${ids[0]!}, 0, ${[at.answer.event]}::uuid[], false, true)`;
  await database.sql`update inbox_events set lane = 2 where id = ${other.answer.event}`;
  await database.sql`insert into process_events (process, host, what, signal) values ('worker', 'h', 'died', 'SIGKILL')`;
  const view = await readWorkers(database.sql);
  expect(view.workers.map(({ pid, state, claimed }) => ({ pid, state, claimed }))).toEqual([
    { pid: 1, state: "alive", claimed: 1 },
    { pid: 2, state: "silent", claimed: 0 },
    { pid: 3, state: "ended", claimed: 0 },
  ]);
  expect(view.events).toMatchObject([{ what: "died", signal: "SIGKILL" }]);
  expect(view).toMatchObject({ suspects: 1, poison: 0 });
});
