import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { ensureBodyPartitions } from "#db/partitions.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { untilNothingIsPending, untilTrue } from "#tests/support/pending.ts";
import { startProcess } from "#tests/support/processes.ts";
import { createProduct, SECRET_KEY } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";
import { type SupervisedServer, startSupervisedServer } from "./support/driver-server.ts";

let server: SupervisedServer;
let sql: Sql;

beforeAll(async () => {
  server = await startSupervisedServer();
  await migrate(server.url);
  sql = connect({ url: server.url, max: 4, name: "test" }) as unknown as Sql;
  await ensureBodyPartitions(sql, { days: [30] });
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await server.stop();
});

/** Fast shutdown and crash, in turn; the server comes back on its port. */
async function restart(signal: "SIGINT" | "SIGKILL"): Promise<void> {
  const pid = Number((await readFile(join(server.dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);
  process.kill(pid, signal);
  await untilTrue(async () => {
    const text = await readFile(join(server.dataDir, "postmaster.pid"), "utf8").catch(() => "");
    if (Number(text.split("\n")[0]) === pid || !text.includes("ready")) return [];
    return await sql`select true`.catch(() => []);
  });
}

it("a worker outlives restarts and crashes of PostgreSQL, and what was acknowledged is applied once", async () => {
  const product = await createProduct(sql, { onUnavailable: () => {} });
  const worker = startProcess("worker/main.ts", {
    DATABASE_URL: server.url,
    SECRET_KEY: SECRET_KEY.toString("base64"),
    LOG_LEVEL: "fatal",
  });
  let acknowledged = 0;
  let sending = true;
  const load = (async () => {
    while (sending) {
      const { status } = await product.deliver(stripeEvent());
      if (status === 200) acknowledged++;
      else await sleep(50);
    }
  })();
  await untilTrue(() => sql`select count(*) > 20 from inbox_attempts`);
  for (const signal of ["SIGINT", "SIGKILL", "SIGINT"] as const) {
    await restart(signal);
    await sleep(500);
  }
  sending = false;
  await load;
  await untilNothingIsPending(sql, 60_000);
  const [row] = await sql`select count(*)::int as done from inbox_events where status = 'done'`;
  // One whose commit was lost on the way back is stored without an acknowledgement.
  expect(row?.done).toBeGreaterThanOrEqual(acknowledged);
  expect(await product.balance()).toBe(BigInt(row?.done * 100));
  expect(await sql`select from inbox_events where crashes > 0`).toEqual([]);
  expect((await checkInvariants(sql)).filter(({ ok }) => !ok)).toEqual([]);
  await worker.kill("SIGTERM");
  expect((await worker.ended).code).toBe(0);
});
