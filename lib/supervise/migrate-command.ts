import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { connect, type Sql } from "#db/client.ts";
import { type Lock, LockedError, lockDataDir } from "#db/embedded/lock.ts";
import { startEmbedded } from "#db/embedded.ts";
import { migrate } from "#db/migrate.ts";
import { ensureBodyPartitions, listRetention } from "#db/partitions.ts";
import { env } from "#lib/env.ts";
import { complain, say } from "./terminal.ts";

/** `npm run migrate`: migrations alone. Safe from several machines at once, and beside a running Counterfoil. */
try {
  const { DATABASE_DIRECT_URL, DATABASE_URL, DATA_DIR } = env();
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL;
  await (url ? migrateAndTell(url) : migrateEmbedded(resolve(DATA_DIR)));
} catch (error) {
  complain(
    error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error),
  );
  process.exitCode = 1;
}

/** Beside a running Counterfoil (it holds the lock) its database; else the embedded one is started for a moment. */
async function migrateEmbedded(dataDir: string): Promise<void> {
  let lock: Lock;
  try {
    lock = await lockDataDir(dataDir);
  } catch (error) {
    const url = await readFile(join(dataDir, "database-url"), "utf8").catch(() => "");
    if (error instanceof LockedError && url.trim()) return migrateAndTell(url.trim());
    throw error;
  }
  try {
    const server = await startEmbedded({ dataDir, onProgress: say });
    await migrateAndTell(server.url).finally(() => server.stop());
  } finally {
    lock.release();
  }
}

async function migrateAndTell(url: string): Promise<void> {
  const applied = await migrate(url);
  for (const name of applied) say(`Applied migration ${name}`);
  if (applied.length === 0) say("The schema is up to date");
  const sql = connect({ url, max: 1, name: "counterfoil migrate" });
  const { failed } = await ensureBodyPartitions(sql as unknown as Sql, {
    days: await listRetention(sql as unknown as Sql),
  });
  if (failed) say(`Partitions for bodies could not be made (${failed}); the worker tries again`);
  await sql.end({ timeout: 2 });
}
