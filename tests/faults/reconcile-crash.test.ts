import { afterEach, beforeEach, expect, it } from "vitest";
import { FAILPOINTS, type Failpoint } from "#lib/failpoint.ts";
import { startProcess } from "#tests/support/processes.ts";
import { SECRET_KEY } from "#tests/support/product.ts";
import { ask, listOpen, readRun } from "#tests/support/reconciling.ts";
import { until } from "#tests/support/running-app.ts";
import { findBroken } from "#tests/support/senders.ts";
import { type StripeBench, startStripeBench } from "#tests/support/stripe-bench.ts";

/** Two pages of the sender's list, three of repairs. */
const INVOICES = 120;

let bench: StripeBench;
beforeEach(async () => {
  bench = await startStripeBench();
  bench.stripe.faults.add({ what: "lost", times: INVOICES });
  for (let at = 0; at < INVOICES; at++) await bench.pay();
});
afterEach(async () => {
  expect(await findBroken(bench.database.sql)).toEqual([]);
  await bench.stop();
});

const startWorker = (failpoint?: string) =>
  startProcess("worker/main.ts", {
    DATABASE_URL: bench.database.url,
    SECRET_KEY: SECRET_KEY.toString("base64"),
    OUTBOUND_ALLOW: "127.0.0.1",
    COUNTERFOIL_FAILPOINT: failpoint,
    LOG_LEVEL: "error",
  });

const points = FAILPOINTS.filter((name): name is Extract<Failpoint, `reconcile.${string}`> =>
  name.startsWith("reconcile."),
);

it.each(points.flatMap((point) => [1, 2, 3].map((passage) => `${point}:${passage}`)))(
  "a worker killed at %s: another goes on where the run was, and every invoice is granted once",
  async (failpoint) => {
    const { sql } = bench.database;
    const id = await ask(sql, { repair: true });
    const victim = startWorker(failpoint);
    expect(await victim.ended).toMatchObject({ signal: "SIGKILL" });
    expect(await readRun(sql, id)).toMatchObject({ status: "running" });
    // Two minutes later its lease has run out.
    await sql`update reconciliation_runs set lease_until = now() - interval '1 second' where id = ${id}`;
    const worker = startWorker();
    const run = await until(async () => {
      const row = await readRun(sql, id);
      return row.status === "done" && row;
    }, 60_000);
    await worker.kill("SIGTERM");
    expect(run).toMatchObject({
      objects: INVOICES,
      gaps_found: INVOICES,
      gaps_repaired: INVOICES,
      gaps_closed: INVOICES,
      warnings: [],
    });
    expect(await listOpen(sql)).toEqual([]);
    expect(await bench.product.balance()).toBe(BigInt(INVOICES * 100));
    const [seen] = await sql`select count(*)::int as rows from reconciliation_seen`;
    expect(seen).toEqual({ rows: 0 });
  },
);
