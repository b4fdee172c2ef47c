import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EnvError, env } from "./env.ts";

/** DATABASE_URL, or the embedded database that a running `npm start` wrote into DATA_DIR. */
export async function databaseUrl(): Promise<string> {
  const { DATABASE_URL, DATA_DIR } = env();
  if (DATABASE_URL) return DATABASE_URL;
  try {
    return (await readFile(join(DATA_DIR, "database-url"), "utf8")).trim();
  } catch {
    throw new EnvError(`DATABASE_URL: is not set, and ${DATA_DIR} holds no running embedded database`);
  }
}
