import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "#tests/support/running-app.ts";

/**
 * Starts the product as `npm start` does (it builds the console when that is not built) in a directory of its own,
 * and stops it by its own process afterwards. With E2E_DATA_DIR and E2E_URL set, one that runs already is used.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.E2E_DATA_DIR && process.env.E2E_URL) return undefined;
  const dataDir = await mkdtemp(join(tmpdir(), "counterfoil-e2e-"));
  try {
    const app = await startApp(dataDir, { LOG_LEVEL: "warn", OUTBOUND_ALLOW: "127.0.0.1" });
    process.env.E2E_URL = app.url;
    process.env.E2E_DATA_DIR = dataDir;
    return async () => {
      const { code } = await app.stop();
      await rm(dataDir, { recursive: true, force: true });
      if (code !== 0)
        throw new Error(`the product ended with status ${code}:\n${app.output().slice(-4_000)}`);
    };
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}
