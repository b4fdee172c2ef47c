import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cancelRun } from "#lib/reconcile/cancel-run.ts";
import { planSweeps } from "#lib/reconcile/plan-sweeps.ts";
import { workRun } from "#lib/reconcile/work.ts";
import { codeOf, tester, unwrap } from "#tests/support/outcomes.ts";
import { SECRET } from "#tests/support/product.ts";
import { ask, finish, giveCredentials, listOpen, readRun, workOptions } from "#tests/support/reconciling.ts";
import { findBroken } from "#tests/support/senders.ts";
import { type StripeBench, startStripeBench } from "#tests/support/stripe-bench.ts";
import { signStripe } from "#tests/support/stripe-events.ts";

const DAY = 86_400_000;
let bench: StripeBench;
const sql = () => bench.database.sql;
const run = async (options = {}) => finish(bench.product, await ask(sql(), options));
const isoAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

beforeEach(async () => {
  bench = await startStripeBench();
});
afterEach(async () => {
  expect(await findBroken(sql())).toEqual([]);
  await bench.stop();
});

/** The sender's own event of a paid invoice, delivered as late as one likes. */
async function deliverLate(): Promise<void> {
  for (const { id } of bench.stripe.deliveries.list()) await bench.stripe.deliveries.retry(id);
}

describe("repair and late webhook", () => {
  it.each(["repair first", "webhook first", "at once"])("%s: one effect", async (order) => {
    for (let at = 0; at < 10; at++) await bench.payUnheard({ both: at % 2 === 0 });
    if (order === "webhook first") await deliverLate();
    const id = await ask(sql(), { repair: true });
    await Promise.all([finish(bench.product, id), order === "at once" ? deliverLate() : null]);
    if (order === "repair first") await deliverLate();
    await bench.product.workUntilIdle();
    expect(await bench.product.balance()).toBe(1000n);
    expect(await run()).toMatchObject({ status: "done", gaps_found: 0 });
    expect(await listOpen(sql())).toEqual([]);
  });

  it("have one business key even where the sender's event is long gone", async () => {
    const invoice = await bench.payUnheard();
    const [body] = bench.stripe.sentBodies();
    bench.stripe.dropEvents();
    await run({ repair: true });
    const [event] = await sql()`select event_id from inbox_events`;
    expect(event).toEqual({ event_id: `reconciliation:${invoice}:paid` });
    await bench.product.post("stripe", body!, { "stripe-signature": signStripe(body!, SECRET) });
    await bench.product.workUntilIdle();
    const outcomes = await sql()`select outcome from inbox_events order by received_at`;
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["applied", "already_applied"]);
    expect(await bench.product.balance()).toBe(100n);
  });

  it("a repair that is asked for again, or was cut off and repeats, puts in nothing twice", async () => {
    await bench.payUnheard();
    bench.stripe.dropEvents();
    await Promise.all([run({ repair: true }), run({ repair: true })]);
    await run({ repair: true });
    const rows = await sql()`select from inbox_events`;
    expect(rows).toHaveLength(1);
    expect(await bench.product.balance()).toBe(100n);
  });
});

describe("the list", () => {
  it("is read to its last page, for every account, and nothing is counted twice", async () => {
    await sql()`insert into source_accounts (source_id, account, tenant_id, mode) values ('stripe', 'acct_two', 'acme', 'live')`;
    await sql()`insert into customer_links (source_id, account, customer, workspace_id) values ('stripe', 'acct_two', 'cus_acme', 'ws_acme')`;
    bench.stripe.faults.add({ what: "lost", times: 500 });
    for (let at = 0; at < 130; at++) await bench.pay();
    for (let at = 0; at < 110; at++) await bench.pay({ account: "acct_two" });
    const done = await run({ repair: true });
    expect(done).toMatchObject({ objects: 240, gaps_found: 240, gaps_closed: 240, warnings: [] });
    // Invoices and events, two pages for each account.
    expect(done.pages).toBe(8);
    expect(await bench.product.balance()).toBe(24_000n);
  });

  it("older than its events is compared by the invoices, which stay", async () => {
    const created = Date.now() - 45 * DAY;
    const lost = await bench.payUnheard({ createdAt: created, overrides: paidAt(created) });
    bench.stripe.dropEvents();
    const done = await run({ from: isoAgo(50), to: isoAgo(40), repair: true });
    expect(done).toMatchObject({ status: "done", objects: 1, gaps_closed: 1 });
    const trace = await sql()`select subject, outcome from inbox_events`;
    expect([...trace]).toEqual([{ subject: lost, outcome: "applied" }]);
  });

  it("shows an invoice that was created long before it was paid", async () => {
    const created = Date.now() - 30 * DAY;
    await bench.payUnheard({ createdAt: created, overrides: { created: Math.floor(created / 1000) } });
    bench.stripe.dropEvents();
    expect(await run({ days: 1 })).toMatchObject({ objects: 1, gaps_found: 1 });
  });

  it("that shows an invoice late is looked at again by the next sweep", async () => {
    await sql()`update sources set settings = '{"reconcile":{"everyMinutes":5}}'`;
    bench.stripe.faults.add({ what: "late_visibility", ms: DAY, times: 2 });
    await bench.payUnheard();
    expect(await run()).toMatchObject({ objects: 0, gaps_found: 0 });
    await bench.clock.advance(DAY);
    await sql()`update reconciliation_runs set trigger = 'sweep', created_at = now() - interval '10 minutes'`;
    expect(await planSweeps(sql())).toBe(1);
    expect(await planSweeps(sql())).toBe(0);
    const [sweep] = await sql()`select id from reconciliation_runs where status = 'pending'`;
    await sql()`update reconciliation_runs set window_to = now() where id = ${sweep!.id}`;
    expect(await finish(bench.product, sweep!.id)).toMatchObject({ gaps_found: 1, gaps_repaired: 1 });
    expect(await bench.product.balance()).toBe(100n);
  });

  it("that is empty on a busy account is a warning, closes nothing and is no full pass", async () => {
    const lost = await bench.payUnheard();
    for (let at = 0; at < 5; at++) await bench.pay();
    await run();
    bench.stripe.invoices.clear();
    bench.stripe.dropEvents();
    const done = await run();
    expect(done.warnings).toEqual([expect.stringContaining("empty, although receipts of account acct_acme")]);
    // Its gap is still there, beside the grants that an empty list cannot bear out.
    expect((await listOpen(sql())).filter((gap) => gap.class === "no_receipt")).toMatchObject([
      { subject: lost },
    ]);
  });
});

const paidAt = (ms: number) => ({ status_transitions: { paid_at: Math.floor(ms / 1000) } });

describe("a sender in trouble", () => {
  const tryOnce = async (id: string) => {
    await workRun(sql(), workOptions());
    return readRun(sql(), id);
  };
  const retryNow = (id: string) =>
    sql()`update reconciliation_runs set next_attempt_at = now() where id = ${id} and status = 'pending'`;

  it.each([
    ["500", { what: "server_error", status: 500 } as const, /in trouble \(500\)/],
    ["a cut answer", { what: "cut" } as const, /did not answer|cannot be read/],
  ])("with %s fails the step, which is tried again and never counts as done", async (_, fault, why) => {
    await bench.payUnheard();
    const id = await ask(sql(), { repair: true });
    for (let times = 1; times <= 3; times++) {
      bench.stripe.faults.add(fault);
      const failed = await tryOnce(id);
      expect(failed).toMatchObject({ status: "pending", failures: times, finished_at: null, objects: 0 });
      expect(failed.last_error).toMatch(why);
      await retryNow(id);
    }
    expect(await finish(bench.product, id)).toMatchObject({ status: "done", failures: 0, gaps_closed: 1 });
    expect(await bench.product.balance()).toBe(100n);
  });

  it("keeps the pages before the failure, and goes on behind them", async () => {
    bench.stripe.faults.add({ what: "lost", times: 150 });
    for (let at = 0; at < 150; at++) await bench.pay();
    const id = await ask(sql());
    bench.stripe.failPage(2);
    expect(await tryOnce(id)).toMatchObject({ status: "pending", objects: 100, pages: 1 });
    await retryNow(id);
    expect(await finish(bench.product, id)).toMatchObject({ status: "done", objects: 150, gaps_found: 150 });
  });

  it("that asks for fewer calls is left alone until it said", async () => {
    const id = await ask(sql());
    bench.stripe.faults.add({ what: "rate_limit", retryAfter: 1800 });
    await tryOnce(id);
    const [wait] = await sql()`
      select extract(epoch from next_attempt_at - now())::int as seconds from reconciliation_runs where id = ${id}`;
    expect(wait!.seconds).toBeGreaterThan(1790);
    const calls = bench.stripe.calls.length;
    expect(await tryOnce(id)).toMatchObject({ status: "pending", failures: 1 });
    expect(bench.stripe.calls).toHaveLength(calls);
  });

  it("that refuses the key ends the run as failed, with the reason", async () => {
    await giveCredentials(sql(), "stripe", bench.stripe.url, "sk_live_wrong");
    const id = await ask(sql());
    expect(await tryOnce(id)).toMatchObject({
      status: "failed",
      last_error: "the sender refused the credentials (401)",
    });
  });

  it("may not be called where outgoing calls may not go", async () => {
    await giveCredentials(sql(), "stripe", "http://169.254.169.254");
    const id = await ask(sql());
    const failed = await tryOnce(id);
    expect(failed.status).toBe("failed");
    expect(failed.last_error).toMatch(/may not be called/);
  });
});

describe("a run", () => {
  it("is one at a time per source, however many workers look", async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => ask(sql())));
    const watch = { most: 0 };
    const looking = setInterval(async () => {
      const [row] =
        await sql()`select count(*)::int as running from reconciliation_runs where status = 'running'`;
      watch.most = Math.max(watch.most, row!.running);
    }, 5);
    await Promise.all(ids.map((id) => finish(bench.product, id)));
    clearInterval(looking);
    expect(watch.most).toBeLessThanOrEqual(1);
  });

  it("that is cancelled ends with its present step, and undoes nothing", async () => {
    await bench.payUnheard();
    const id = await ask(sql(), { repair: true });
    unwrap(await cancelRun(sql(), tester, { id, reason: "not now" }));
    expect(await readRun(sql(), id)).toMatchObject({ status: "cancelled" });
    expect(await workRun(sql(), workOptions())).toBe(false);
    const done = await run();
    expect(codeOf(await cancelRun(sql(), tester, { id: done.id, reason: "late" }))).toBe("conflict");
  });

  it("that is cancelled under a worker's hands ends cancelled", async () => {
    const id = await ask(sql());
    bench.stripe.onList(() => cancelRun(sql(), tester, { id, reason: "stop" }));
    await workRun(sql(), workOptions());
    expect(await readRun(sql(), id)).toMatchObject({ status: "cancelled", objects: 0 });
  });

  it("is given back where it is when its process stops", async () => {
    const id = await ask(sql());
    const stop = new AbortController();
    bench.stripe.onList(() => stop.abort());
    await workRun(sql(), workOptions(stop.signal));
    expect(await readRun(sql(), id)).toMatchObject({ status: "pending", failures: 0, lease_token: null });
    expect(await finish(bench.product, id)).toMatchObject({ status: "done" });
  });
});

describe("sweeps", () => {
  it("cover all the time since the last one that finished, however long nothing ran", async () => {
    expect(await planSweeps(sql())).toBe(1);
    await sql()`update reconciliation_runs set status = 'done', next_attempt_at = null, finished_at = now(),
      window_from = now() - interval '41 days', window_to = now() - interval '40 days', created_at = now() - interval '40 days'`;
    expect(await planSweeps(sql())).toBe(1);
    const [next] = await sql()`
      select extract(epoch from now() - window_from)::int / 3600 as hours from reconciliation_runs where status = 'pending'`;
    // Forty days, and the overlap.
    expect(next!.hours).toBe(40 * 24 + 6);
  });

  it("do not move on past one that failed", async () => {
    await planSweeps(sql());
    await sql()`update reconciliation_runs set status = 'failed', next_attempt_at = null, finished_at = now(),
      created_at = now() - interval '2 hours', window_to = now() - interval '2 hours'`;
    await planSweeps(sql());
    const [next] = await sql()`
      select extract(epoch from now() - window_from)::int / 86400 as days from reconciliation_runs where status = 'pending'`;
    expect(next!.days).toBe(3);
  });

  it("are not planned without credentials, on a paused source, or where they are off", async () => {
    await sql()`update sources set status = 'paused'`;
    expect(await planSweeps(sql())).toBe(0);
    await sql()`update sources set status = 'active', settings = '{"reconcile":{"everyMinutes":null}}'`;
    expect(await planSweeps(sql())).toBe(0);
    await sql()`update sources set settings = '{}'`;
    await sql()`delete from source_credentials`;
    expect(await planSweeps(sql())).toBe(0);
  });
});
