import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type Binaries, findBinaries } from "./embedded/binaries.ts";
import {
  type Access,
  clusterDir,
  findFreePort,
  isPortFree,
  prepareCluster,
  saveAccess,
} from "./embedded/cluster.ts";
import { makeDataDir } from "./embedded/files.ts";
import { endProcess, killStragglers, readPostmasterFile, stopOrphan } from "./embedded/processes.ts";
import { chooseRunAs, commandAs, type RunAs } from "./embedded/run-as.ts";

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type EmbeddedServer = {
  /** The database `counterfoil`, as the superuser. */
  url: string;
  port: number;
  pid: number;
  exited: Promise<Exit>;
  /** Fast shutdown; what has not ended after graceMs is ended harder and recovers at the next start. */
  stop(graceMs?: number): Promise<void>;
};

export type EmbeddedOptions = {
  dataDir: string;
  /** Others know the port already: wait for it rather than take another one. */
  keepPort?: boolean;
  /** Over the ones below; for tests. */
  settings?: Record<string, string>;
  signal?: AbortSignal;
  onProgress?: (text: string) => void;
};

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "128MB",
  fsync: "on",
  synchronous_commit: "on",
  timezone: "UTC",
  log_timezone: "UTC",
  // DETAIL lines repeat the failing row, and rows hold payloads.
  log_error_verbosity: "terse",
  log_checkpoints: "off",
};

/**
 * Starts the PostgreSQL in DATA_DIR/postgres, making it on the first call. The caller holds the lock on DATA_DIR
 * (db/embedded/lock.ts). Resolves when connections are accepted. Its own process group keeps a Ctrl-C away from it,
 * so that it outlives the processes that still have work to finish.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir);
  await makeDataDir(dataDir);
  const binaries = await findBinaries();
  const runAs = chooseRunAs(binaries, dataDir);
  const cluster = clusterDir(dataDir);
  await stopOrphan(cluster, (pid) => options.onProgress?.(`Stopping a PostgreSQL left behind (pid ${pid})`));
  let access = await prepareCluster(binaries, runAs, dataDir);

  const start = Date.now();
  for (let wait = 100; ; wait = Math.min(wait * 2, 1_000)) {
    options.signal?.throwIfAborted();
    if (!options.keepPort && !(await isPortFree(access.port))) {
      access = { ...access, port: await findFreePort() };
      await saveAccess(dataDir, access);
    }
    const attempt = await launch(binaries, runAs, dataDir, access, options);
    if (attempt.ok) return attempt.server;
    // After kill -9 the backends of the old postmaster hold its shared memory until they notice.
    const transient = /pre-existing shared memory|postmaster\.pid|could not bind|could not create any TCP/;
    if (!transient.test(attempt.output) || Date.now() - start > 15_000) {
      throw new Error(`The embedded PostgreSQL did not start:\n${attempt.output.trim().slice(-2000)}`);
    }
    if (Date.now() - start > 5_000) killStragglers(cluster);
    await sleep(wait);
  }
}

type Attempt = { ok: true; server: EmbeddedServer } | { ok: false; output: string };

async function launch(
  binaries: Binaries,
  runAs: RunAs,
  dataDir: string,
  access: Access,
  options: EmbeddedOptions,
): Promise<Attempt> {
  const logPath = join(dataDir, "postgres.log");
  await limitLog(logPath);
  const output = openSync(logPath, "a", 0o600);
  const offset = statSync(logPath).size;
  const settings = Object.entries({ ...SETTINGS, ...options.settings, port: String(access.port) });
  const args = [
    "-D",
    clusterDir(dataDir),
    ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const [file, rest, spawnOptions] = commandAs(runAs, binaries.postgres, args);
  const child = spawn(file, rest, { ...spawnOptions, detached: true, stdio: ["ignore", output, output] });
  closeSync(output);
  const exited = new Promise<Exit>((done) => {
    child.once("error", () => done({ code: null, signal: null }));
    child.once("exit", (code, signal) => done({ code, signal }));
  });
  try {
    if (!(await waitUntilReady(child, clusterDir(dataDir), options))) {
      return { ok: false, output: readFileSync(logPath).subarray(offset).toString("utf8") };
    }
    const url = `postgres://postgres:${access.password}@127.0.0.1:${access.port}/counterfoil`;
    await createDatabase(url);
    const stop = async (graceMs = 8_000) => {
      if (isRunning(child)) await endProcess(child.pid!, graceMs);
      await exited;
    };
    return { ok: true, server: { url, port: access.port, pid: child.pid!, exited, stop } };
  } catch (error) {
    if (isRunning(child)) await endProcess(child.pid!, 5_000);
    throw error;
  }
}

/** False when it ended instead. Recovery may take long, so there is no time limit while it is at work. */
async function waitUntilReady(
  child: ChildProcess,
  cluster: string,
  options: EmbeddedOptions,
): Promise<boolean> {
  let told = Date.now();
  for (;;) {
    options.signal?.throwIfAborted();
    if (!isRunning(child)) return false;
    const file = readPostmasterFile(cluster);
    if (file?.pid === child.pid && file?.status === "ready") return true;
    if (Date.now() - told > 5_000) {
      told = Date.now();
      options.onProgress?.("PostgreSQL is recovering, please wait");
    }
    await sleep(25);
  }
}

async function createDatabase(url: string): Promise<void> {
  const admin = new URL(url);
  admin.pathname = "/postgres";
  const sql = postgres(admin.href, { max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    const found = await sql`select 1 from pg_database where datname = 'counterfoil'`;
    if (found.length === 0) await sql`create database counterfoil`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function limitLog(path: string): Promise<void> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) await rename(path, `${path}.1`);
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
