import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator";
import postgres from "postgres";
import { compareVersions } from "./versions.ts";

const folder = fileURLToPath(new URL("./migrations", import.meta.url));
/** Any constant; every migrator takes the same one. */
const MIGRATION_LOCK = 7_220_114_581;

export class SchemaError extends Error {
  override name = "SchemaError";
}

/**
 * Brings the schema up to date and returns the names of the migrations that this call applied. Any number of
 * machines may call it at once: they queue at an advisory lock (of six of drizzle's migrators at once, two failed).
 * Wants a session of its own: `url` must not lead through a pooler in transaction mode. Throws SchemaError when this
 * server or this application must not be used.
 */
export async function migrate(url: string): Promise<string[]> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      application_name: "counterfoil migrate",
      TimeZone: "UTC",
      statement_timeout: 0,
      lock_timeout: 0,
    },
  });
  try {
    await checkServer(sql);
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
    // Before anything is applied: an application that is too old must not touch a newer schema.
    await checkCompatibility(sql);
    const before = await listApplied(sql);
    await applyMigrations(drizzle(sql), { migrationsFolder: folder });
    const applied = (await listApplied(sql)).filter((name) => !before.includes(name));
    await checkCompatibility(sql);
    return applied;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Refuses (SchemaError) when the schema says that it needs a newer application than this one. A schema with more
 * migrations than this application knows is fine: the row says so when it no longer is.
 */
export async function checkCompatibility(sql: postgres.Sql, version = readVersion()): Promise<void> {
  const [table] = await sql<{ there: boolean }[]>`
    select to_regclass('public.schema_compatibility') is not null as there`;
  if (!table?.there) return;
  const [row] = await sql<{ oldest_version: string }[]>`select oldest_version from schema_compatibility`;
  if (row && compareVersions(version, row.oldest_version) < 0) {
    throw new SchemaError(
      `This is Counterfoil ${version}, but the database's schema needs ${row.oldest_version} or newer. Install that version; the data is unharmed.`,
    );
  }
}

/** The version of this application, from package.json. */
export function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

async function checkServer(sql: postgres.Sql): Promise<void> {
  const [row] = await sql<{ number: number; version: string; fsync: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
      current_setting('fsync') as fsync`;
  if (!row || row.number < 140_000) {
    throw new SchemaError(`This is PostgreSQL ${row?.version}; Counterfoil needs 14 or newer.`);
  }
  if (row.fsync !== "on") {
    throw new SchemaError(
      "The PostgreSQL server runs with fsync=off, so an acknowledged event could vanish with a power cut. Set fsync=on and restart it.",
    );
  }
}

async function listApplied(sql: postgres.Sql): Promise<string[]> {
  const [table] = await sql<{ there: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as there`;
  if (!table?.there) return [];
  const journal = JSON.parse(readFileSync(`${folder}/meta/_journal.json`, "utf8")) as {
    entries: { when: number; tag: string }[];
  };
  const rows = await sql<
    { at: string }[]
  >`select created_at as at from drizzle.__drizzle_migrations order by id`;
  return rows.map(
    ({ at }) => journal.entries.find((entry) => entry.when === Number(at))?.tag ?? `unknown at ${at}`,
  );
}
