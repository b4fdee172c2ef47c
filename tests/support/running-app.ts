import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import postgres from "postgres";

const root = fileURLToPath(new URL("../..", import.meta.url));

export type Started = {
  child: ChildProcess;
  /** Everything written so far, both streams. */
  output(): string;
  /** Resolves with the exit status; null when a signal ended it. */
  ended: Promise<number | null>;
};

export type RunningApp = Started & {
  url: string;
  dataDir: string;
  query<T>(run: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  /** The living processes by what they are. */
  pids(): Promise<Record<"supervisor" | "database" | "web" | "worker", number>>;
  /** For a test that failed half-way: ends whatever is left, in no particular order. */
  destroy(): Promise<void>;
  /** SIGTERM; the exit status and how long it took. */
  stop(): Promise<{ code: number | null; ms: number }>;
};

/** `npm start` or `node server.ts` with nothing of our own environment but PATH, HOME and what is given. */
export function launch(env: Record<string, string>, command = ["node", "server.ts"]): Started {
  const { PATH = "", HOME = "/" } = process.env;
  const child = spawn(command[0]!, command.slice(1), {
    cwd: root,
    env: { PATH: `${join(root, "node_modules/.bin")}:${PATH}`, HOME, ...env } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  return { child, output: () => output, ended: once(child, "exit").then(([code]) => code as number | null) };
}

/** Launches and waits for the welcome. Whoever starts it stops it. */
export async function startApp(
  dataDir: string,
  env: Record<string, string> = {},
  command?: string[],
): Promise<RunningApp> {
  const port = env.PORT ?? String(await findFreePort());
  const app = launch({ DATA_DIR: dataDir, PORT: port, ...env }, command);
  const ended = app.ended.then((code) => ({ code }));
  while (!app.output().includes("Counterfoil is running at")) {
    const end = await Promise.race([ended, sleep(50)]);
    if (end) throw new Error(`the start ended with ${end.code}:\n${app.output()}`);
  }
  async function query<T>(run: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const url = (await readFile(join(dataDir, "database-url"), "utf8")).trim();
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    try {
      return await run(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  return {
    ...app,
    url: `http://127.0.0.1:${port}`,
    dataDir,
    query,
    pids: () => readPids(dataDir, query),
    async destroy() {
      if (app.child.exitCode !== null || app.child.signalCode !== null) return;
      const { database } = await readPids(dataDir, query).catch(() => ({ database: 0 }));
      // Not the child's: killing npm would leave the supervisor behind.
      const supervisor = Number(await readFile(join(dataDir, "lock.holder"), "utf8"));
      for (const pid of [supervisor, database]) if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGKILL");
      await app.ended;
    },
    async stop() {
      const start = Date.now();
      app.child.kill("SIGTERM");
      return { code: await app.ended, ms: Date.now() - start };
    },
  };
}

async function readPids(dataDir: string, query: RunningApp["query"]) {
  const rows = await query(
    (sql) => sql<{ role: "web" | "worker"; pid: number }[]>`
      select distinct on (role) role, pid from workers where stopped_at is null order by role, started_at desc`,
  );
  const pidOf = (role: string) => rows.find((row) => row.role === role)?.pid ?? 0;
  return {
    supervisor: Number(await readFile(join(dataDir, "lock.holder"), "utf8")),
    database: Number(
      (await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8").catch(() => "0")).split("\n")[0],
    ),
    web: pidOf("web"),
    worker: pidOf("worker"),
  };
}

export function isAlive(pid: number): boolean {
  try {
    // 0 would ask for our own process group, which always lives.
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until `check` gives something; for at most `ms`. What it throws counts as not yet. */
export async function until<T>(check: () => Promise<T | false | null | undefined>, ms = 15_000): Promise<T> {
  const end = Date.now() + ms;
  for (let last: unknown; ; await sleep(50)) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`not within ${ms} ms`, { cause: last });
  }
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
