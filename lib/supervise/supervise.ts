import { join, resolve } from "node:path";
import { connect, type Sql } from "#db/client.ts";
import { writePrivateFile } from "#db/embedded/files.ts";
import { lockDataDir } from "#db/embedded/lock.ts";
import { type EmbeddedServer, startEmbedded } from "#db/embedded.ts";
import { ensureBodyPartitions, listRetention } from "#db/partitions.ts";
import { type Env, EnvError, env } from "#lib/env.ts";
import { parseSecretKey } from "#lib/sources/secrets.ts";
import { log } from "#lib/telemetry/log.ts";
import { buildConsole } from "./build-console.ts";
import { startDemo } from "./demo.ts";
import { keepRunning } from "./keep-running.ts";
import { migrateWhenReachable } from "./migrate-when-reachable.ts";
import { moveSecrets } from "./move-secrets.ts";
import { openProcessEvents, type ProcessEvents, type ProcessName } from "./process-events.ts";
import { seedSample } from "./sample.ts";
import { prepareSecrets } from "./secrets.ts";
import { startMembers } from "./start-members.ts";
import type { Stop } from "./stop.ts";
import { say } from "./terminal.ts";
import { watchSources } from "./watch-sources.ts";
import { writeWelcome } from "./welcome.ts";

export type SuperviseOptions = {
  root: string;
  dev: boolean;
  /** With simulated senders beside it. */
  demo?: boolean;
  stop: Stop;
};

/**
 * `npm start`: brings everything up in order, keeps it up, and resolves when it was told to stop. Whatever was
 * started is put on the stop's list, which is taken down in the reverse order, also when a step here throws.
 */
export async function supervise({ root, dev, demo, stop }: SuperviseOptions): Promise<void> {
  const settings = env();
  const dataDir = resolve(settings.DATA_DIR);
  const embedded = settings.DATABASE_URL === undefined;
  if (!embedded && !settings.SECRET_KEY) {
    throw new EnvError(
      "SECRET_KEY: is required with DATABASE_URL: 32 bytes in base64 (for example from: openssl rand -base64 32)",
    );
  }
  const lock = await lockDataDir(dataDir);
  stop.onStop(async () => lock.release());

  const database = settings.DATABASE_URL ? undefined : await startDatabase(dataDir, stop);
  const url = settings.DATABASE_URL ?? database!.url;
  await writePrivateFile(join(dataDir, "database-url"), `${url}\n`);
  await migrateWhenReachable(settings.DATABASE_DIRECT_URL ?? url, stop.signal);
  const { secretKey, consoleToken } = await prepareSecrets(dataDir, settings.SECRET_KEY);
  await prepareDatabase(url, settings, parseSecretKey(secretKey), embedded ? dataDir : null);
  if (!dev) await buildConsole(root, stop.signal);
  stop.signal.throwIfAborted();

  const events = openProcessEvents(url);
  stop.onStop(() => events.close());
  database?.reportTo(events);
  const members = await startMembers({
    root,
    dev,
    events,
    env: {
      ...process.env,
      DATABASE_URL: url,
      DATA_DIR: dataDir,
      SECRET_KEY: secretKey,
      CONSOLE_TOKEN: consoleToken,
    },
  });
  stop.onStop((graceMs) => members.stop(graceMs));
  if (dev) {
    const unwatch = watchSources(root, ["lib", "db", "worker"], () => members.worker.restart());
    stop.onStop(async () => unwatch());
  }
  await Promise.race([members.listening, stop.requested]);
  if (stop.signal.aborted) return;
  process.stdout.write(
    writeWelcome({ publicUrl: settings.PUBLIC_URL, consoleToken, sample: embedded, variables: process.env }),
  );
  if (demo) {
    const senders = await startDemo(root, { ...process.env, DATA_DIR: dataDir });
    stop.onStop((graceMs) => senders.stop(graceMs));
  }
  await stop.requested;
}

type Database = { url: string; reportTo(events: ProcessEvents): void };

/** The embedded PostgreSQL, started again on the same port whenever it dies. */
async function startDatabase(dataDir: string, stop: Stop): Promise<Database> {
  say("Starting PostgreSQL");
  let events: ProcessEvents | undefined;
  let server: EmbeddedServer | undefined;
  const member = await keepRunning({
    async start() {
      const keepPort = server !== undefined;
      server = await startEmbedded({ dataDir, keepPort, signal: stop.signal, onProgress: say });
      return server;
    },
    ...reporting("database", () => events),
  });
  stop.onStop((graceMs) => member.stop(graceMs));
  return {
    url: server!.url,
    reportTo(opened) {
      events = opened;
    },
  };
}

function reporting(name: ProcessName, events: () => ProcessEvents | undefined) {
  return {
    onDied: (exit: Parameters<ProcessEvents["died"]>[1], pid: number) => events()?.died(name, exit, pid),
    onRestarted: (pid: number) => events()?.restarted(name, pid),
    onFailed: (error: unknown) =>
      log().error({ err: error, child: name }, `${name} could not be started again`),
  };
}

async function prepareDatabase(
  url: string,
  settings: Env,
  key: Buffer,
  sampleDir: string | null,
): Promise<void> {
  const pooler = settings.DATABASE_POOLER === "transaction";
  const pool = connect({ url, max: 1, name: "counterfoil start", pooler });
  const sql = pool as unknown as Sql;
  try {
    const { failed } = await ensureBodyPartitions(sql, { days: await listRetention(sql) });
    if (failed)
      log().warn({ why: failed }, "partitions for bodies could not be made; the worker tries again");
    await moveSecrets(sql, key, settings.SECRET_KEY_OLD);
    if (sampleDir) await seedSample(sql, sampleDir, key);
  } finally {
    await pool.end({ timeout: 2 });
  }
}
