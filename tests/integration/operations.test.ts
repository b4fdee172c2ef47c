import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listItems } from "#lib/api/reads/operations.ts";
import { resolveEvent } from "#lib/inbox/resolve.ts";
import { cancelOperation } from "#lib/operations/cancel.ts";
import { runOperations } from "#lib/operations/run-operations.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { ask, begin, look } from "#tests/support/operations.ts";
import { linkCustomer, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { findBroken } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { linked: false });
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

/** Events that wait for a link. */
async function deliver(count: number, invoice: Record<string, unknown> = {}): Promise<string[]> {
  const events = Array.from({ length: count }, () => stripeEvent({}, stripeInvoice(invoice)));
  const answers = await Promise.all(events.map((event) => product.deliver(event)));
  await product.workUntilIdle();
  return answers.map(({ answer }) => answer.event);
}

async function drain(): Promise<void> {
  while ((await runOperations(database.sql)) > 0);
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await database.sql`select status, count(*)::int as events from inbox_events group by 1`;
  return Object.fromEntries(rows.map(({ status, events }) => [status, events]));
}

describe("a running operation", () => {
  it("leaves out what came later, and skips and reports what changed meanwhile", async () => {
    const [changed, dismissed] = await deliver(5);
    const operation = await begin(database.sql, ask("dismiss", { status: "waiting" }));
    await deliver(2);
    unwrap(await resolveEvent(database.sql, tester, { id: changed!, decision: "retry", reason: "x" }));
    unwrap(await resolveEvent(database.sql, tester, { id: dismissed!, decision: "dismiss", reason: "x" }));
    await product.workUntilIdle();
    await drain();
    const view = await look(database.sql, operation);
    expect(view).toMatchObject({
      status: "done",
      count: 5,
      settled: 5,
      verdicts: { dismissed: 3, skipped: 2 },
    });
    expect(await statuses()).toEqual({ waiting: 3, dismissed: 4 });
    const { items } = await listItems(database.sql, operation, { verdict: "failures" }, 10, 0);
    expect(items.map(({ event, why }) => [event, why])).toEqual([
      [changed, "it was tried meanwhile"],
      [dismissed, "it was waiting when this was confirmed, and is dismissed"],
    ]);
  });

  it("replays through the same operation as one replay: what is there is not done twice", async () => {
    await linkCustomer(database.sql);
    const ids = await deliver(4);
    await database.sql`delete from customer_links`;
    await deliver(2);
    const operation = await begin(database.sql, ask("replay", { source: "stripe" }));
    await drain();
    expect((await look(database.sql, operation)).verdicts).toEqual({ already_applied: 4, blocked: 2 });
    expect(await product.balance()).toBe(400n);
    const attempts = await database.sql`
      select actor, reason, operation_id as operation from inbox_attempts
      where inbox_event_id = ${ids[0]!} and kind = 'replay'`;
    expect([...attempts]).toEqual([{ actor: "tester", reason: "a test", operation }]);
  });

  it("arms again in the lane of bulk work, and the worker goes on from there", async () => {
    await deliver(3);
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id)
      values ('stripe', 'acct_acme', 'cus_acme', 'ws_acme')`;
    const operation = await begin(database.sql, ask("retry", { status: "waiting" }));
    await drain();
    expect((await look(database.sql, operation)).verdicts).toEqual({ armed: 3 });
    const lanes = await database.sql`select distinct lane, status from inbox_events`;
    expect([...lanes]).toEqual([{ lane: 1, status: "pending" }]);
  });

  it("refuses item by item what its state does not allow, and goes on", async () => {
    await linkCustomer(database.sql);
    await deliver(2);
    await deliver(2, { amount_paid: "1000" });
    const operation = await begin(database.sql, ask("dismiss", { source: "stripe" }));
    await drain();
    expect((await look(database.sql, operation)).verdicts).toEqual({ refused: 2, dismissed: 2 });
    expect(await statuses()).toEqual({ done: 2, dismissed: 2 });
  });

  it("comes back to an item that somebody holds", async () => {
    const [held] = await deliver(3);
    const operation = await begin(database.sql, ask("dismiss", { status: "waiting" }));
    const worker = await database.sql.reserve();
    await worker`begin`;
    await worker`select from inbox_events where id = ${held!} for update`;
    await drain();
    expect(await look(database.sql, operation)).toMatchObject({ status: "running", settled: 2 });
    await worker`rollback`;
    worker.release();
    await drain();
    expect(await look(database.sql, operation)).toMatchObject({ status: "done", settled: 3 });
  });

  it("on many workers at once gives each item one verdict", async () => {
    await deliver(120);
    const operation = await begin(database.sql, ask("dismiss", { status: "waiting" }));
    await Promise.all(Array.from({ length: 4 }, drain));
    expect(await look(database.sql, operation)).toMatchObject({
      status: "done",
      verdicts: { dismissed: 120 },
    });
    const [row] = await database.sql`
      select count(*)::int as audits, count(distinct target)::int as events from audit_entries
      where action = 'inbox.dismiss'`;
    expect(row).toEqual({ audits: 120, events: 120 });
  });

  it("that is cancelled leaves the rest alone, and tells how far it came", async () => {
    await deliver(120);
    const operation = await begin(database.sql, ask("replay", { status: "waiting" }));
    expect(await runOperations(database.sql)).toBe(20);
    expect(unwrap(await cancelOperation(database.sql, tester, { id: operation }))).toMatchObject({
      undone: false,
    });
    await drain();
    expect(await look(database.sql, operation)).toMatchObject({
      status: "cancelled",
      settled: 20,
      count: 120,
      verdicts: { blocked: 20 },
    });
  });

  it("cancelled at any moment by one while others work ends with as many verdicts as things done", async () => {
    await deliver(150);
    const operation = await begin(database.sql, ask("dismiss", { status: "waiting" }));
    const work = Promise.all([drain(), drain()]);
    const cancelled = unwrap(await cancelOperation(database.sql, tester, { id: operation }));
    await work;
    const { settled, status } = await look(database.sql, operation);
    expect((await statuses()).dismissed ?? 0).toBe(settled);
    expect(status).toBe(cancelled.undone ? "undone" : "cancelled");
    if (cancelled.undone) expect(settled).toBe(0);
  });

  it("over the same events as another does each of them once", async () => {
    await deliver(40);
    const dismiss = await begin(database.sql, ask("dismiss", { status: "waiting" }));
    const retry = await begin(database.sql, ask("retry", { status: "waiting" }));
    await Promise.all([drain(), drain()]);
    const [a, b] = [await look(database.sql, dismiss), await look(database.sql, retry)];
    expect([a.settled, b.settled]).toEqual([40, 40]);
    expect((a.verdicts.dismissed ?? 0) + (b.verdicts.armed ?? 0)).toBe(40);
    expect((a.verdicts.skipped ?? 0) + (b.verdicts.skipped ?? 0)).toBe(40);
  });

  it("that the database cannot do for one item says so of that item alone", async () => {
    const [bad] = await deliver(3);
    await database.sql.unsafe(`
      create function refuse_one() returns trigger language plpgsql as $$ begin
        if new.id = '${bad}' then raise exception 'not this one'; end if; return new; end $$;
      create trigger refuse_one before update on inbox_events for each row execute function refuse_one()`);
    const operation = await begin(database.sql, ask("dismiss", { status: "waiting" }));
    await drain();
    expect((await look(database.sql, operation)).verdicts).toEqual({ failed: 1, dismissed: 2 });
    const { items } = await listItems(database.sql, operation, { verdict: "failures" }, 10, 0);
    expect(items).toMatchObject([{ event: bad, why: "P0001: not this one" }]);
    await database.sql`drop trigger refuse_one on inbox_events`;
  });
});

it("items and operations are paged without repeating or leaving out any", async () => {
  await deliver(7);
  const operation = await begin(database.sql, ask("dismiss", { status: "waiting" }));
  const seen: number[] = [];
  for (let cursor: string | null = "0"; cursor !== null; ) {
    const page = await listItems(database.sql, operation, {}, 3, Number(cursor));
    seen.push(...page.items.map(({ ordinal }) => ordinal));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
