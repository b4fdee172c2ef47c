import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "#db/migrate.ts";
import { say } from "./terminal.ts";

/** Seconds that a database may take to come up: with Docker Compose everything starts at once. */
const PATIENCE_S = 60;
const NOT_YET = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EAI_AGAIN",
  "ENOTFOUND",
  "ETIMEDOUT",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "57P03", // the server is starting up
]);

/** Migrates, waiting a while for a database that does not answer yet. Tells what was applied. */
export async function migrateWhenReachable(url: string, signal: AbortSignal): Promise<void> {
  const { host } = new URL(url);
  const until = Date.now() + PATIENCE_S * 1000;
  for (let told = false; ; ) {
    signal.throwIfAborted();
    try {
      for (const name of await untilAborted(migrate(url), signal)) say(`Applied migration ${name}`);
      return;
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (!NOT_YET.has(String(code))) throw error;
      if (Date.now() > until) throw new Error(`The database at ${host} does not answer (${code}).`);
      if (!told) say(`Waiting for the database at ${host} (${code})`);
      told = true;
      await sleep(500);
    }
  }
}

/** A stop must not wait for a migration: its transaction rolls back with the connection. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  work.then(resolve, reject);
  return promise;
}
