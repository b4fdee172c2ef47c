import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { checkAcks } from "#lib/check/acks.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { type RunningApp, startApp, until } from "#tests/support/running-app.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const EVENTS = Number(process.env.KILL_RUN_EVENTS ?? 2_000);
const KILLS = Number(process.env.KILL_RUN_KILLS ?? 6);
const CLIENTS = 16;
/** Of ten deliveries, three are repetitions. */
const DUPLICATES = 0.3;
/** Every second invoice comes with both of its event types. */
const TWICE = 0.5;

/** A sender as senders are: it delivers until it is told 200, and sometimes once more. Returns the acknowledged uuid. */
async function deliver(url: string, secret: string, event: unknown): Promise<string> {
  const body = JSON.stringify(event);
  for (;;) {
    try {
      const response = await fetch(`${url}/api/webhooks/stripe`, {
        method: "POST",
        body,
        headers: { "stripe-signature": signStripe(body, secret), "content-type": "application/json" },
        signal: AbortSignal.timeout(15_000),
      });
      const answer = (await response.json()) as { event: string };
      if (response.status === 200) return answer.event;
      // Nothing else is a correct answer to an authentic event while processes die.
      expect(response.status).toBe(503);
    } catch (error) {
      if (error instanceof Error && error.name === "AssertionError") throw error;
    }
    await sleep(100);
  }
}

async function killInTurn(app: RunningApp, done: () => boolean): Promise<number> {
  let kills = 0;
  while (!done() && kills < KILLS) {
    await sleep(1_000);
    const name = (["worker", "web", "database"] as const)[kills % 3]!;
    const pid = await app.pids().then(
      (pids) => pids[name],
      () => 0,
    );
    if (pid === 0) continue;
    process.kill(pid, "SIGKILL");
    kills++;
    // Up again before the next one dies, or all of them would only ever be starting; after many deaths the supervisor
    // waits 30 s before it tries.
    await until(
      async () => (await app.pids())[name] !== pid && (await fetch(`${app.url}/api/health/ready`)).ok,
      150_000,
    );
  }
  return kills;
}

it("kill -9 of worker, web and database in turn loses nothing acknowledged and applies nothing twice", {
  timeout: 120_000 + EVENTS * 240,
}, async () => {
  const parent = await mkdtemp(join(tmpdir(), "counterfoil-kill-"));
  const app = await startApp(join(parent, "data"));
  try {
    const { secret, customer } = JSON.parse(await readFile(join(app.dataDir, "sample.json"), "utf8"));
    const invoices = Array.from({ length: Math.round(EVENTS / (1 + TWICE)) }, () =>
      stripeInvoice({ customer }),
    );
    const events = invoices.flatMap((invoice, index) => [
      stripeEvent({ type: "invoice.paid" }, invoice),
      ...(index % 2 ? [stripeEvent({ type: "invoice.payment_succeeded" }, invoice)] : []),
    ]);
    const acks = new Set<string>();
    let next = 0;
    const send = async () => {
      while (next < events.length) {
        const event = events[next++];
        acks.add(await deliver(app.url, secret, event));
        if (Math.random() < DUPLICATES) acks.add(await deliver(app.url, secret, event));
      }
    };
    const sending = Promise.all(Array.from({ length: CLIENTS }, send));
    const killing = killInTurn(app, () => next >= events.length);
    await sending;
    const kills = await killing;

    const sql = connect({
      url: (await readFile(join(app.dataDir, "database-url"), "utf8")).trim(),
      max: 2,
      name: "test",
    }) as unknown as Sql;
    try {
      await until(async () => {
        const [row] = await sql`select count(*)::int as pending from inbox_events where status = 'pending'`;
        return row?.pending === 0;
      }, 180_000);
      expect(kills).toBeGreaterThanOrEqual(3);
      expect(acks.size).toBe(events.length);
      expect((await checkAcks(sql, [...acks])).violations).toEqual([]);
      expect((await checkInvariants(sql)).filter(({ ok }) => !ok)).toEqual([]);
      const [balance] = await sql`select credit_balance from workspaces where id = 'ws_sample'`;
      expect(balance?.credit_balance).toBe(BigInt(invoices.length * 100));
      const restarts =
        await sql`select process, count(*)::int as times from process_events where what = 'restarted' group by process`;
      expect(restarts.length).toBeGreaterThan(0);
    } finally {
      await sql.end({ timeout: 1 });
    }
    expect((await app.stop()).code).toBe(0);
  } finally {
    await app.destroy();
    await rm(parent, { recursive: true, force: true });
  }
});
