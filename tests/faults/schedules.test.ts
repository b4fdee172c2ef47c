import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { openClaimBook } from "#lib/inbox/claims.ts";
import { LANES } from "#lib/inbox/lanes.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { replayEvent } from "#lib/inbox/replay.ts";
import { rescueClaims } from "#lib/inbox/rescue.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";
import { stripeCharge, stripeEventOf } from "#tests/support/stripe-money.ts";
import { expectedBalance, LATE, type Step, steps } from "./support/schedule.ts";

/** SCHEDULES=500 is the nightly size. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 30);
const WORKER = uuidv7();

let database: TestDatabase;
let product: Product;
let number = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterAll(() => database.drop());

/** One schedule's own workspace, customers and invoices, so that all of them share a database. */
class World {
  readonly #name = `s${++number}`;
  readonly #delivered: { event: unknown; id: string }[] = [];

  async open(): Promise<void> {
    await database.sql`insert into workspaces (id, tenant_id, name) values (${this.#name}, 'acme', ${this.#name})`;
    await this.#link("");
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "paid":
        return await this.#deliver(stripeEvent({ type: step.type }, this.#invoice(step.invoice)));
      case "refunded":
        return await this.#deliver(stripeEventOf("charge.refunded", this.#charge(step.invoice, step.tenths)));
      case "again":
        return await this.#repeat(step.nth);
      case "replay":
        return await this.#replay(step.nth);
      case "work":
        await Promise.all(Array.from({ length: step.workers }, () => product.work(step.limit)));
        return;
      case "crash":
        return await crash(step.limit, step.after);
      case "link":
        return await this.#link("_late");
      case "pause":
      case "resume":
        await database.sql`update sources set status = ${step.do === "pause" ? "paused" : "active"}`;
        return;
      default:
        return step satisfies never;
    }
  }

  /** Everything that was asked for is worked off, as the next minutes would. */
  async settle(): Promise<void> {
    await database.sql`update sources set status = 'active'`;
    await this.#link("_late");
    for (let round = 0; round < 20; round++) {
      await rescueClaims(database.sql, WORKER);
      await sweepWaiting(database.sql);
      await database.sql`update inbox_events set next_attempt_at = now() where status = 'pending'`;
      await product.workUntilIdle();
      while ((await processBatch(database.sql, { limit: 1, lane: LANES.ALONE }, WORKER)).claimed > 0);
      const [open] = await database.sql`
        select (select count(*) from inbox_events where status = 'pending')
          + (select count(*) from inbox_claims where event_ids <> '{}' and worker_id <> ${WORKER}) as open`;
      if (open?.open === 0n) return;
    }
    throw new Error("something is pending for ever");
  }

  async balance(): Promise<bigint> {
    return await product.balance(this.#name);
  }

  #invoice(nth: number) {
    const customer = `cus_${this.#name}${nth === LATE ? "_late" : ""}`;
    return stripeInvoice({ id: `in_${this.#name}_${nth}`, charge: `ch_${this.#name}_${nth}`, customer });
  }

  #charge(nth: number, tenths: number) {
    return stripeCharge({
      id: `ch_${this.#name}_${nth}`,
      payment_intent: null,
      amount_refunded: tenths * 100,
      refunded: tenths === 10,
    });
  }

  async #deliver(event: unknown): Promise<void> {
    const { status, answer } = await product.deliver(event);
    expect({ status, answer: answer.status }).toEqual({ status: 200, answer: "accepted" });
    this.#delivered.push({ event, id: answer.event });
  }

  async #repeat(nth: number): Promise<void> {
    const some = this.#delivered[nth % this.#delivered.length];
    if (some)
      expect((await product.deliver(some.event)).answer).toEqual({ status: "duplicate", event: some.id });
  }

  async #replay(nth: number): Promise<void> {
    const some = this.#delivered[nth % this.#delivered.length];
    if (some)
      await replayEvent(database.sql, { id: some.id, actor: "test", reason: "at random", dryRun: false });
  }

  async #link(suffix: string): Promise<void> {
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id)
      values ('stripe', 'acct_acme', ${`cus_${this.#name}${suffix}`}, ${this.#name}) on conflict do nothing`;
  }
}

/** A worker of its own, whose sessions all end while it is at work: what a kill -9 leaves of it. */
async function crash(limit: number, after: number): Promise<void> {
  const id = uuidv7();
  await database.sql`insert into workers (id, role, host, pid, version, stopped_at) values (${id}, 'worker', 'h', 1, '0.1.0', now())`;
  const open = () => connect({ url: database.url, max: 1, name: id }) as unknown as Sql;
  const [sql, bookSql] = [open(), open()];
  const working = processBatch(
    sql,
    { limit },
    id,
    openClaimBook(bookSql, id, { locks: true }).noteIn(0, false),
  );
  working.catch(() => {});
  await sleep(after);
  await database.sql`select pg_terminate_backend(pid, 2000) from pg_stat_activity where application_name = ${id}`;
  await Promise.all([sql.end({ timeout: 0 }), bookSql.end({ timeout: 0 })]);
  await working.catch(() => {});
  await rescueClaims(database.sql, WORKER);
}

it("whatever comes, dies and is repeated in whatever order, every invoice ends with its credits, once", {
  timeout: 60_000 + SCHEDULES * 10_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (schedule) => {
      const world = new World();
      await world.open();
      for (const step of schedule) await world.take(step);
      await world.settle();
      expect(await world.balance()).toBe(expectedBalance(schedule));
    }),
    { numRuns: SCHEDULES, endOnFailure: process.env.SCHEDULES === undefined },
  );
  expect((await checkInvariants(database.sql)).filter(({ ok }) => !ok)).toEqual([]);
  expect(await database.sql`select from inbox_events where failure_class is not null`).toEqual([]);
});
