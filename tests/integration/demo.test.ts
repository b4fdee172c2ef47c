import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { launch, startApp, until } from "#tests/support/running-app.ts";

const COMMAND = ["node", "server.ts", "--demo"];

test("npm run demo fills the pages with what senders do to a receiver, and stops cleanly", {
  timeout: 300_000,
}, async () => {
  const parent = await mkdtemp(join(tmpdir(), "counterfoil-demo-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const app = await startApp(join(parent, "data"), {}, COMMAND);
  onTestFinished(() => app.destroy());
  const counts = await until(
    () =>
      app.query(async (sql) => {
        const [row] = await sql`
          select (select count(*)::int from inbox_events where status = 'done' and outcome = 'applied') as granted,
            (select count(*)::int from inbox_events where status = 'waiting') as waiting,
            (select count(*)::int from inbox_events where status = 'quarantined') as quarantined,
            (select count(*)::int from inbox_events where status = 'failed') as failed,
            (select count(*)::int from inbox_conflicts) as conflicts,
            (select count(*)::int from inbox_deliveries) as repeats,
            (select count(*)::int from rejections) as rejected,
            (select count(*)::int from reconciliation_gaps where status = 'open') as gaps,
            (select count(*)::int from reconciliation_runs where status = 'done') as passes`;
        return Object.values(row!).every((count) => count > 0) && row;
      }),
    180_000,
  );
  expect(counts).toBeTruthy();
  const token = (await readFile(join(app.dataDir, "console-token"), "utf8")).trim();
  const check = await fetch(`${app.url}/api/v1/check`, { headers: { authorization: `Bearer ${token}` } });
  expect(await check.json()).toMatchObject({ ok: true });
  const stopped = await app.stop();
  expect(stopped.code).toBe(0);
});

test("npm run demo is never played on somebody's own database", async () => {
  const demo = launch({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }, COMMAND);
  expect(await demo.ended).toBe(1);
  expect(demo.output()).toContain("embedded database alone");
});
