import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linkCustomer } from "#tests/support/outcomes.ts";
import { ask, finish, listOpen } from "#tests/support/reconciling.ts";
import { findBroken } from "#tests/support/senders.ts";
import { type StripeBench, startStripeBench } from "#tests/support/stripe-bench.ts";

let bench: StripeBench;
const sql = () => bench.database.sql;
const run = async (options = {}) => finish(bench.product, await ask(sql(), options));
const repair = () => run({ repair: true });
const classes = async () => (await listOpen(sql())).map((gap) => [gap.class, gap.subject]);

beforeEach(async () => {
  bench = await startStripeBench();
});
afterEach(async () => {
  expect(await findBroken(sql())).toEqual([]);
  await bench.stop();
});

describe("a paid invoice whose webhook never came", () => {
  it("is found, and is not touched without repair", async () => {
    const lost = await bench.payUnheard();
    await bench.pay();
    expect(await run()).toMatchObject({ status: "done", gaps_found: 1, gaps_repaired: 0, warnings: [] });
    expect(await classes()).toEqual([["no_receipt", lost]]);
    expect(await bench.product.balance()).toBe(100n);
  });

  it("is repaired with a receipt that goes through the worker, and its gap is closed", async () => {
    for (const version of ["2019-03-14", "2024-06-20", "2026-10-28"] as const)
      await bench.payUnheard({ version });
    expect(await repair()).toMatchObject({ status: "done", gaps_found: 3, gaps_repaired: 3, gaps_closed: 3 });
    expect(await bench.product.balance()).toBe(300n);
    expect(await classes()).toEqual([]);
    const origins = await sql()`select origin, status from inbox_events`;
    expect([...origins]).toEqual(Array(3).fill({ origin: "reconciliation", status: "done" }));
  });

  it("of a customer who is not linked is put in, waits, and stays a gap until the link is made", async () => {
    const lost = await bench.payUnheard({ customer: "cus_new" });
    await repair();
    expect(await listOpen(sql())).toEqual([
      { class: "receipt_without_effect", subject: lost, why: expect.stringContaining("not linked") },
    ]);
    await linkCustomer(sql(), { customer: "cus_new" });
    await bench.product.workUntilIdle();
    expect(await run()).toMatchObject({ gaps_closed: 1 });
    expect(await classes()).toEqual([]);
  });

  it("that grants nothing is no gap: nothing was paid, or the source's settings exclude it", async () => {
    await sql()`update sources set settings = '{"currencies":["usd"]}' where id = 'stripe'`;
    await bench.payUnheard({ amount: 0 });
    await bench.payUnheard({ currency: "eur" });
    expect(await run()).toMatchObject({ status: "done", objects: 2, gaps_found: 0 });
  });
});

describe("a receipt without its effect", () => {
  const arrange = async (change: string) => {
    const invoice = await bench.pay();
    await sql().unsafe(change);
    return invoice;
  };

  it.each([
    ["ran out of retries", "status = 'failed', failure_class = 'exhausted', next_attempt_at = null"],
    [
      "was ignored before anything took it",
      "status = 'ignored', finished_at = now(), next_attempt_at = null",
    ],
  ])("that %s is repaired", async (_, columns) => {
    await arrange(`update inbox_events set ${columns}`);
    expect(await repair()).toMatchObject({ status: "done", gaps_found: 1, gaps_closed: 1 });
    expect(await bench.product.balance()).toBe(100n);
  });

  it.each([
    ["is invalid", "status = 'failed', failure_class = 'invalid', next_attempt_at = null"],
    ["killed its worker", "status = 'failed', failure_class = 'poison', next_attempt_at = null"],
    ["is quarantined", "status = 'quarantined', next_attempt_at = null"],
  ])("that %s stays open for a person", async (_, columns) => {
    const invoice = await arrange(`update inbox_events set ${columns}`);
    expect(await repair()).toMatchObject({ gaps_found: 1, gaps_repaired: 0 });
    expect(await classes()).toEqual([["receipt_without_effect", invoice]]);
    expect(await bench.product.balance()).toBe(0n);
  });

  it("that is under way is none, and one that a person dismissed is none", async () => {
    const pending = "update inbox_events set next_attempt_at = now() + interval '1 hour'";
    await arrange(pending);
    expect(await run()).toMatchObject({ gaps_found: 0 });
    await sql()`update inbox_events set status = 'dismissed', next_attempt_at = null, finished_at = now()`;
    expect(await run()).toMatchObject({ gaps_found: 0 });
  });

  it("that hangs is found, and its gap closes itself once it was worked", async () => {
    const invoice = await arrange(
      "update inbox_events set next_attempt_at = now() + interval '1 hour', received_at = now() - interval '1 hour'",
    );
    await run();
    expect(await classes()).toEqual([["receipt_without_effect", invoice]]);
    await sql()`update inbox_events set next_attempt_at = now()`;
    await bench.product.workUntilIdle();
    expect(await run()).toMatchObject({ gaps_closed: 1 });
    expect(await classes()).toEqual([]);
  });
});

describe("an effect that the sender's books do not bear out", () => {
  it("is found when the invoice is unknown there, and when it is not paid", async () => {
    const gone = await bench.pay();
    const voided = await bench.pay();
    await bench.pay();
    await bench.product.workUntilIdle();
    bench.stripe.forget(gone);
    bench.stripe.change(voided, { status: "void" });
    // Events outlive the invoice; without them only the books speak.
    bench.stripe.dropEvents();
    expect(await repair()).toMatchObject({ gaps_found: 2, gaps_repaired: 0 });
    expect(await classes()).toEqual(
      [gone, voided].sort().map((subject) => ["effect_without_paid_object", subject]),
    );
  });

  it("is found when the amount differs, and stays for a person", async () => {
    bench.stripe.faults.add({ what: "wrong_amount", by: 500 });
    const invoice = await bench.pay();
    await bench.product.workUntilIdle();
    await repair();
    expect(await listOpen(sql())).toEqual([
      {
        class: "amount_or_workspace_differs",
        subject: invoice,
        why: expect.stringContaining("1500 instead of 1000"),
      },
    ]);
  });

  it("is found when the workspace differs, unless the customer moved after the grant", async () => {
    const invoice = await bench.pay();
    await bench.product.workUntilIdle();
    await sql()`insert into workspaces (id, tenant_id, name) values ('ws_new', 'acme', 'New')`;
    await sql()`update customer_links set workspace_id = 'ws_new', updated_at = now() + interval '1 second'`;
    expect(await run()).toMatchObject({ gaps_found: 0 });
    await sql()`update customer_links set updated_at = now() - interval '1 day'`;
    await run();
    expect(await classes()).toEqual([["amount_or_workspace_differs", invoice]]);
  });
});

describe("an intent that was not sent", () => {
  it.each(["unknown", "rejected", "abandoned"])(
    "is found when it is %s, and closes once it was sent",
    async (status) => {
      const invoice = await bench.pay();
      await bench.product.workUntilIdle();
      const finished = status === "unknown" ? null : new Date().toISOString();
      await sql()`update outbox_messages set status = ${status}, next_attempt_at = null, finished_at = ${finished}`;
      await run();
      expect(await classes()).toEqual([["intent_unsent", invoice]]);
      // As a person who knows better decides it, so that the history says why it counts as sent.
      await sql()`with decided as (update outbox_messages set status = 'sent', finished_at = now() returning id)
        insert into outbox_attempts (message_id, kind, result, started_at, finished_at, actor, reason)
        select id, 'decision', 'sent', now(), now(), 'support', 'the customer has it' from decided`;
      expect(await run()).toMatchObject({ gaps_closed: 1 });
      expect(await classes()).toEqual([]);
    },
  );

  it("is none while it is on its way", async () => {
    await bench.pay();
    await bench.product.workUntilIdle();
    expect(await run()).toMatchObject({ gaps_found: 0 });
    await sql()`update outbox_messages set created_at = now() - interval '2 hours'`;
    expect(await run()).toMatchObject({ gaps_found: 1 });
  });
});
