import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { lockDataDir } from "#db/embedded/lock.ts";
import { type EmbeddedServer, startEmbedded } from "#db/embedded.ts";

const root = process.getuid?.() === 0;
let parent: string;
let dataDir: string;

/** mktemp -d makes mode 0700: as root, no other account reaches what is below. */
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "counterfoil-embedded-"));
  dataDir = join(parent, "data");
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
});

async function start(options: Partial<Parameters<typeof startEmbedded>[0]> = {}): Promise<EmbeddedServer> {
  const server = await startEmbedded({ dataDir, ...options });
  onTestFinished(() => server.stop());
  return server;
}

async function query<T>(server: { url: string }, run: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const remember = (server: EmbeddedServer) =>
  query(server, async (sql) => {
    await sql`create table if not exists kept (what text)`;
    await sql`insert into kept values ('this')`;
  });
const countKept = (server: EmbeddedServer) =>
  query(server, async (sql) => Number((await sql`select count(*) from kept`)[0]?.count));

describe("embedded PostgreSQL", () => {
  test("keeps data, port and password across restarts, and is durable", async () => {
    const first = await start();
    await remember(first);
    const settings = await query(
      first,
      (sql) =>
        sql`select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by 1`,
    );
    expect(settings.map((row) => row.setting)).toEqual(["on", "on"]);
    await first.stop();
    expect(await first.exited).toEqual({ code: 0, signal: null });

    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await countKept(second)).toBe(1);
  });

  test("wants its password and listens on loopback alone", async () => {
    const server = await start();
    const wrong = new URL(server.url);
    wrong.password = "wrong";
    await expect(query({ url: wrong.href }, (sql) => sql`select 1`)).rejects.toMatchObject({ code: "28P01" });
    const addresses = await query(server, (sql) => sql`show listen_addresses`);
    expect(addresses[0]).toEqual({ listen_addresses: "127.0.0.1" });
    expect((await stat(join(dataDir, "postgres.json"))).mode & 0o777).toBe(0o600);
  });

  test("takes another port when its own is in use", async () => {
    const first = await start();
    await first.stop();
    const other = spawn(process.execPath, [
      "-e",
      `require("node:net").createServer().listen(${first.port}, "127.0.0.1", () => console.log("listening"))`,
    ]);
    onTestFinished(() => void other.kill("SIGKILL"));
    await once(other.stdout, "data");
    const second = await start();
    expect(second.port).not.toBe(first.port);
    await expect(query(second, (sql) => sql`select 1`)).resolves.toHaveLength(1);
  });

  test("recovers on the same port after kill -9 of the postmaster with work under way", async () => {
    const first = await start();
    await remember(first);
    const busy = query(first, (sql) => sql`select pg_sleep(60)`).catch((error) => error);
    await query(first, async (sql) => {
      while ((await sql`select 1 from pg_stat_activity where query like '%pg_sleep%'`).length < 2)
        await sql`select 1`;
    });
    process.kill(first.pid, "SIGKILL");
    expect(await first.exited).toEqual({ code: null, signal: "SIGKILL" });
    const second = await start({ keepPort: true });
    expect(second.port).toBe(first.port);
    expect(await countKept(second)).toBe(1);
    expect(await busy).toBeInstanceOf(Error);
  });

  test("takes over a server that a killed supervisor left behind", async () => {
    const script = `
      import { startEmbedded } from ${JSON.stringify(new URL("../../db/embedded.ts", import.meta.url).href)};
      const server = await startEmbedded({ dataDir: process.argv[1] });
      console.log(server.pid);
      setInterval(() => {}, 1000);`;
    const supervisor = spawn(process.execPath, ["--input-type=module", "-e", script, dataDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(supervisor.stdout, "data");
    const orphan = Number(String(line));
    supervisor.kill("SIGKILL");
    await once(supervisor, "exit");
    expect(process.kill(orphan, 0)).toBe(true);

    const found: string[] = [];
    const server = await start({ onProgress: (text) => found.push(text) });
    expect(found.join()).toContain(`pid ${orphan}`);
    expect(server.pid).not.toBe(orphan);
  });

  test("is not confused by a stale postmaster.pid whose number belongs to somebody else now", async () => {
    const first = await start();
    await remember(first);
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    const path = join(dataDir, "postgres", "postmaster.pid");
    const stale = await readFile(path, "utf8");
    const bystander = spawn("sleep", ["60"]);
    onTestFinished(() => void bystander.kill("SIGKILL"));
    await writeFile(path, stale.replace(/^\d+/, String(bystander.pid)));
    const second = await start();
    expect(await countKept(second)).toBe(1);
    expect(bystander.exitCode).toBeNull();
  });

  test("begins anew when the very first start was killed half-way", async () => {
    await mkdir(join(dataDir, "postgres.new", "base"), { recursive: true });
    await writeFile(join(dataDir, "postgres.new", "PG_VERSION"), "18\n");
    await remember(await start());
  });

  test("a stop during the start leaves nothing running", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("stopped")), 30);
    await (await start()).stop();
    await expect(start({ signal: controller.signal })).rejects.toThrow("stopped");
    await expect(readFile(join(dataDir, "postgres", "postmaster.pid"))).rejects.toThrow(/ENOENT/);
  });

  test("says what to do when its password is lost", async () => {
    await (await start()).stop();
    await rm(join(dataDir, "postgres.json"));
    await expect(start()).rejects.toThrow(/postgres\.json holds the password/);
  });

  test.runIf(root)(
    "as root, runs inside a directory of mode 0700, and changes owner when it moves",
    async () => {
      expect((await stat(parent)).mode & 0o777).toBe(0o700);
      const first = await start();
      await remember(first);
      expect((await stat(join(dataDir, "postgres"))).uid).toBe(0);
      await first.stop();

      await chmod(parent, 0o755);
      const second = await start();
      expect(await countKept(second)).toBe(1);
      await second.stop();

      await chmod(parent, 0o700);
      await chown(join(dataDir, "postgres"), 1, 1);
      expect(await countKept(await start())).toBe(1);
    },
  );
});

describe("lock on DATA_DIR", () => {
  test("a second holder is refused and told who has it; freed by kill -9", async () => {
    const script = `
      import { lockDataDir } from ${JSON.stringify(new URL("../../db/embedded/lock.ts", import.meta.url).href)};
      globalThis.lock = await lockDataDir(process.argv[1]);
      console.log("locked");
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ["--input-type=module", "-e", script, dataDir]);
    onTestFinished(() => void holder.kill("SIGKILL"));
    await once(holder.stdout, "data");
    await expect(lockDataDir(dataDir)).rejects.toThrow(`already running on ${dataDir} (pid ${holder.pid})`);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    const lock = await lockDataDir(dataDir);
    await expect(lockDataDir(dataDir)).rejects.toThrow(/already running/);
    lock.release();
    (await lockDataDir(dataDir)).release();
  });
});
