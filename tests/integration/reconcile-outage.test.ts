import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planSweeps } from "#lib/reconcile/plan-sweeps.ts";
import { createClock, type SimClock } from "#tests/simulators/clock.ts";
import { type GithubSimulator, startGithub } from "#tests/simulators/github.ts";
import { type PaymentsSimulator, startPayments } from "#tests/simulators/payments.ts";
import { API_KEY, ask, finish, giveCredentials, listOpen } from "#tests/support/reconciling.ts";
import { addSource, findBroken, SENDER_SECRET } from "#tests/support/senders.ts";
import { type StripeBench, startStripeBench } from "#tests/support/stripe-bench.ts";

const HOUR = 3_600_000;
/** Three days and an hour. */
const OUTAGE = 73 * HOUR;

let clock: SimClock;
let bench: StripeBench;
let payments: PaymentsSimulator;
let github: GithubSimulator;
const sql = () => bench.database.sql;

beforeEach(async () => {
  // The sender's clock begins in the past, so that the outage ends now: the database's clock is the real one.
  clock = createClock(Date.now() - OUTAGE - 6 * HOUR);
  bench = await startStripeBench(clock, { now: () => new Date(clock.now()) });
  await addSource(sql(), { id: "pay", kind: "payments", accounts: [{ account: "m_1", own: true }] });
  await sql()`insert into customer_links (source_id, account, customer, workspace_id) values ('pay', 'm_1', 'c_1', 'ws_acme')`;
  await addSource(sql(), { id: "hub", kind: "github", accounts: [{ account: "77", own: true }] });
  const sender = { clock, apiKey: API_KEY, secret: SENDER_SECRET };
  const at = (source: string) => `${bench.receiver.url}/api/webhooks/${source}`;
  payments = await startPayments({ ...sender, target: at("pay"), merchant: "m_1" });
  github = await startGithub({ ...sender, target: at("hub") });
  await giveCredentials(sql(), "pay", payments.url);
  await giveCredentials(sql(), "hub", github.hookUrl);
});
afterEach(async () => {
  await payments.stop();
  await github.stop();
  expect(await findBroken(sql())).toEqual([]);
  await bench.stop();
});

const push = (index: number) => ({
  ref: `refs/heads/b${index}`,
  before: "0",
  after: "1",
  commits: [],
  pusher: { name: "a" },
  repository: { id: 1, full_name: "acme/shop", owner: { id: 77, login: "acme" } },
  sender: { id: 1, login: "a" },
});

describe("a receiver that is down for three days and an hour", () => {
  it("loses nothing: the sweep brings every invoice and transaction to exactly one grant, and no gap is left", async () => {
    await bench.pay();
    await payments.pay({ customer: "c_1" });
    await bench.receiver.down();
    for (let hour = 0; hour < 73; hour++) {
      if (hour % 4 === 0) await bench.pay({ both: hour % 8 === 0 });
      if (hour % 6 === 0) await payments.pay({ customer: "c_1" });
      await clock.advance(HOUR);
    }
    await clock.advance(6 * HOUR - HOUR);
    const gaveUp = [...bench.stripe.deliveries.list(), ...payments.deliveries.list()].filter(
      ({ status }) => status === "abandoned",
    );
    expect(gaveUp.length).toBeGreaterThan(2);
    await bench.receiver.up();
    await clock.advance(HOUR - 1000);

    expect(await planSweeps(sql())).toBe(3);
    // The first sweep of a source looks three days back: here it goes on from where the last one before the outage was.
    await sql()`update reconciliation_runs set window_from = now() - interval '4 days', window_to = now()`;
    const runs = await sql()`select id from reconciliation_runs order by source_id`;
    for (const { id } of runs) expect(await finish(bench.product, id)).toMatchObject({ status: "done" });

    const paid = bench.stripe.invoices.size + payments.transactions.size;
    expect(await bench.product.balance()).toBe(BigInt(paid * 100));
    const [grants] =
      await sql()`select count(*)::int as entries, count(distinct subject)::int as subjects from credit_entries`;
    expect(grants).toEqual({ entries: paid, subjects: paid });
    expect(await listOpen(sql())).toEqual([]);

    // What the senders had still under way arrives as well, and changes nothing.
    await clock.advance(80 * HOUR);
    await bench.product.workUntilIdle();
    expect(await bench.product.balance()).toBe(BigInt(paid * 100));
    for (const source of ["stripe", "pay"]) {
      const again = await finish(bench.product, await ask(sql(), { source }));
      expect(again).toMatchObject({ status: "done", gaps_found: 0, warnings: [] });
    }
  });

  it("asks GitHub to deliver again what it can, and says what it cannot have any more", async () => {
    await bench.receiver.down();
    for (let at = 0; at < 5; at++) await github.emit("push", push(at));
    await clock.advance(OUTAGE);
    await bench.receiver.up();
    const recent = await Promise.all(
      [5, 6].map(async (at) => {
        github.faults.add({ what: "drop" });
        return github.emit("push", push(at));
      }),
    );
    await clock.advance(6 * HOUR - 1000);
    const done = await finish(bench.product, await ask(sql(), { source: "hub", days: 5, repair: true }));
    expect(done).toMatchObject({ status: "done", gaps_found: 2, gaps_repaired: 2, gaps_closed: 2 });
    expect(done.warnings).toEqual([expect.stringContaining("reaches back 3 days")]);
    const came =
      await sql()`select event_id, origin from inbox_events where source_id = 'hub' order by event_id`;
    expect([...came]).toEqual(recent.sort().map((event_id) => ({ event_id, origin: "webhook" })));
  });

  it("can have the payments sender deliver again by force, abandoned ones too", async () => {
    await bench.receiver.down();
    const lost = await payments.pay({ customer: "c_1" });
    await clock.advance(OUTAGE);
    await bench.receiver.up();
    await clock.advance(6 * HOUR - 1000);
    expect(payments.deliveries.list().every(({ status }) => status === "abandoned")).toBe(true);
    const id = await ask(sql(), { source: "pay", repair: true, redeliver: true });
    expect(await finish(bench.product, id)).toMatchObject({ gaps_repaired: 1, gaps_closed: 1 });
    const came = await sql()`select origin, outcome from inbox_events where subject = ${lost}`;
    expect([...came]).toEqual([{ origin: "webhook", outcome: "applied" }]);
  });
});
