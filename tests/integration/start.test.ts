import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createEmptyDatabase } from "#tests/support/database.ts";
import {
  findFreePort,
  isAlive,
  launch,
  type RunningApp,
  startApp,
  until,
} from "#tests/support/running-app.ts";

/** The first start builds the console, and the machine may be busy. */
const BUILD_MS = 240_000;
const NPM = ["npm", "start"];

async function makeDataDir(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), "counterfoil-start-"));
  return join(parent, "data");
}

const removeDataDir = (dataDir: string) => rm(join(dataDir, ".."), { recursive: true, force: true });

describe("npm start", () => {
  test("comes up from nothing, stops with status 0 within 10 s, and keeps everything for the next start", {
    timeout: BUILD_MS,
  }, async () => {
    const dataDir = await makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const first = await startApp(dataDir, {}, NPM);
    onTestFinished(() => first.destroy());
    expect(first.output()).toContain("Applied migration 0000_");
    expect(first.output()).toMatch(/\/enter\?token=[\w-]{43}\n/);
    expect(first.output()).toContain("npm run cli -- sample");
    expect(first.output()).not.toContain("Warning");
    const token = /token=([\w-]+)/.exec(first.output())?.[1];
    const pids = await until(async () => {
      const found = await first.pids();
      return Object.values(found).every((pid) => pid > 0) && found;
    });
    for (const name of await readdir(dataDir)) {
      const { mode } = await stat(join(dataDir, name));
      if (name !== "postgres") expect(mode & 0o077, name).toBe(0);
    }
    const answer = await fetch(`${first.url}/api/webhooks/stripe`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(401);
    await first.query((sql) => sql`insert into tenants (id) values ('kept')`);

    const stopped = await first.stop();
    expect(stopped.code).toBe(0);
    expect(stopped.ms).toBeLessThan(10_000);
    for (const [name, pid] of Object.entries(pids)) expect(isAlive(pid), name).toBe(false);

    const second = await startApp(dataDir);
    onTestFinished(() => second.destroy());
    expect(second.output()).toContain(`token=${token}`);
    expect(second.output()).not.toContain("Applied migration");
    expect(second.output()).not.toContain("Building");
    const [kept] = await second.query(
      (sql) => sql`
      select exists (select from tenants where id = 'kept') as kept,
        (select count(*)::int from source_secrets) as secrets,
        (select count(*)::int from workers where stopped_at is not null) as stopped`,
    );
    expect(kept).toEqual({ kept: true, secrets: 1, stopped: 2 });
    second.child.kill("SIGINT");
    second.child.kill("SIGINT");
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);
  });

  test("a bad setting is named, without a stack", async () => {
    const started = launch({ PORT: "99999", SECRET_KEY: "short" });
    expect(await started.ended).toBe(1);
    expect(started.output()).toMatch(/^PORT: /m);
    expect(started.output()).toMatch(/^SECRET_KEY: /m);
    expect(started.output()).not.toContain("short");
    expect(started.output()).not.toMatch(/^ {4}at /m);
  });

  test("a database of one's own needs a key of one's own", async () => {
    const started = launch({ DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
    expect(await started.ended).toBe(1);
    expect(started.output()).toMatch(/^SECRET_KEY: is required/m);
  });

  test("DATABASE_URL is used, migrated, and never seeded with the sample", {
    timeout: BUILD_MS,
  }, async () => {
    const database = await createEmptyDatabase();
    const dataDir = await makeDataDir();
    onTestFinished(() => database.drop());
    onTestFinished(() => removeDataDir(dataDir));
    const app = await startApp(dataDir, {
      DATABASE_URL: database.url,
      SECRET_KEY: randomBytes(32).toString("base64"),
    });
    onTestFinished(() => app.destroy());
    expect(app.output()).not.toContain("sample");
    expect((await readFile(join(dataDir, "database-url"), "utf8")).trim()).toBe(database.url);
    expect(await database.sql`select id from tenants`).toHaveLength(0);
    expect(await readdir(dataDir)).not.toContain("postgres");
    expect((await app.stop()).code).toBe(0);
  });
});

describe("a running Counterfoil", () => {
  let app: RunningApp;

  beforeAll(async () => {
    app = await startApp(await makeDataDir());
  }, BUILD_MS);

  afterAll(async () => {
    await app?.stop();
    if (app) await removeDataDir(app.dataDir);
  });

  const answers = () =>
    until(async () => (await fetch(`${app.url}/api/webhooks/nobody`, { method: "POST" })).status === 404);

  test.each(["web", "worker", "database"] as const)(
    "starts the %s again after kill -9, and says so",
    async (name) => {
      const pid = await until(async () => (await app.pids())[name]);
      process.kill(pid, "SIGKILL");
      const next = await until(async () => {
        const now = (await app.pids())[name];
        return now !== pid && isAlive(now) && now;
      }, 25_000);
      expect(next).not.toBe(pid);
      const events = await until(async () => {
        const rows = await app.query(
          (sql) => sql`
        select what, signal from process_events where process = ${name} order by id`,
        );
        return rows.length >= 2 && Array.from(rows);
      });
      expect(events).toEqual([
        { what: "died", signal: "SIGKILL" },
        { what: "restarted", signal: null },
      ]);
      await answers();
    },
  );

  test("a second start on the same DATA_DIR says so and harms nothing", async () => {
    const before = await app.pids();
    const second = launch({ DATA_DIR: app.dataDir, PORT: String(await findFreePort()) });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`already running on ${app.dataDir} (pid ${app.child.pid})`);
    expect(await app.pids()).toEqual(before);
    await answers();
  });

  test("a second start on the same port says so and leaves nothing behind", async () => {
    const dataDir = await makeDataDir();
    onTestFinished(() => removeDataDir(dataDir));
    const second = launch({ DATA_DIR: dataDir, PORT: new URL(app.url).port });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("PORT: something else listens on");
    await expect(readFile(join(dataDir, "postgres/postmaster.pid"))).rejects.toThrow(/ENOENT/);
    await answers();
  });

  test("npm run migrate works beside it", async () => {
    const started = launch({ DATA_DIR: app.dataDir }, ["npm", "run", "migrate"]);
    expect(await started.ended).toBe(0);
    expect(started.output()).toContain("up to date");
  });

  test("a process that hangs does not hold the stop up beyond 10 s", async () => {
    const { dataDir } = app;
    const pids = await app.pids();
    process.kill(pids.worker, "SIGSTOP");
    const stopped = await app.stop();
    expect(stopped.code).toBe(0);
    expect(stopped.ms).toBeLessThan(10_000);
    for (const [name, pid] of Object.entries(pids)) expect(isAlive(pid), name).toBe(false);
    app = await startApp(dataDir, { PORT: new URL(app.url).port });
  });

  test("after kill -9 of the supervisor its processes end, and the next start takes the database over", async () => {
    const { dataDir } = app;
    const before = await until(async () => {
      const pids = await app.pids();
      return isAlive(pids.web) && isAlive(pids.worker) && pids;
    });
    app.child.kill("SIGKILL");
    await app.ended;
    await until(async () => !isAlive(before.web) && !isAlive(before.worker));
    app = await startApp(dataDir, { PORT: new URL(app.url).port });
    expect(app.output()).toContain(`left behind (pid ${before.database})`);
    await answers();
  });
});

test("a stop during the start ends it with status 0 and leaves nothing", async () => {
  const dataDir = await makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const started = launch({ DATA_DIR: dataDir, PORT: String(await findFreePort()) });
  await until(async () => started.output().includes("Starting PostgreSQL"));
  started.child.kill("SIGTERM");
  expect(await started.ended).toBe(0);
  await expect(readFile(join(dataDir, "postgres/postmaster.pid"))).rejects.toThrow(/ENOENT/);
});
