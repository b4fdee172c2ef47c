import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { describe, expect, onTestFinished, test } from "vitest";
import { startEmbedded } from "#db/embedded.ts";
import { checkCompatibility, migrate } from "#db/migrate.ts";
import * as schema from "#db/schema/index.ts";
import { compareVersions } from "#db/versions.ts";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "#tests/support/database.ts";

async function use(create: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await create();
  onTestFinished(() => database.drop());
  return database;
}

describe("migrate", () => {
  test("six at once on an empty database all succeed and apply each migration once", async () => {
    const { url, sql } = await use(createEmptyDatabase);
    const results = await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
    const applied = results.flat();
    expect(applied[0]).toBe("0000_inbox_ledger_outbox");
    expect(new Set(applied).size).toBe(applied.length);
    const [row] = await sql`select count(*)::int as count from drizzle.__drizzle_migrations`;
    expect(row?.count).toBe(applied.length);
  });

  test("refuses an application older than the schema wants, before it touches anything", async () => {
    const { url, sql } = await use(createTestDatabase);
    await sql`update schema_compatibility set oldest_version = '99.1.0'`;
    await expect(migrate(url)).rejects.toThrow(/needs 99\.1\.0 or newer/);
  });

  test("accepts a schema with more migrations than it knows, while the schema accepts this version", async () => {
    const { url, sql } = await use(createTestDatabase);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)`;
    expect(await migrate(url)).toEqual([]);
    await checkCompatibility(sql);
    await expect(checkCompatibility(sql, "0.0.9")).rejects.toThrow(/0\.0\.9/);
  });

  test("refuses a server with fsync=off", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "counterfoil-fsync-"));
    const server = await startEmbedded({ dataDir, settings: { fsync: "off" } });
    onTestFinished(async () => {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    });
    await expect(migrate(server.url)).rejects.toThrow(/fsync=off/);
  });

  test.each([
    ["0.1.0", "0.1.0", 0],
    ["0.9.0", "0.10.0", -1],
    ["1.0.0-rc.2", "1.0.0", -1],
    ["1.0.0-rc.10", "1.0.0-rc.2", 1],
    ["2.0.0", "1.99.99", 1],
  ])("orders version %s against %s", (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
  });
});

describe("schema", () => {
  test("an event key is taken once", async () => {
    const { sql } = await use(createTestDatabase);
    await sql`insert into sources (id, kind, name) values ('s', 'stripe', 'S')`;
    const insert = (account: string | null) => sql`
      insert into inbox_events (id, source_id, account, event_id, type, mode, status, next_attempt_at,
        content_digest, body_digest, body_bytes, body_expires_on)
      values (${randomUUID()}, 's', ${account}, 'evt_1', 't', 'live', 'pending', now(),
        sha256(''), sha256(''), 0, current_date)`;
    await insert("acct_1");
    await expect(insert("acct_1")).rejects.toMatchObject({ code: "23505" });
    await expect(insert(null)).rejects.toMatchObject({ code: "23502" });
  });

  test("no column of a unique key can be NULL", async () => {
    const { sql } = await use(createTestDatabase);
    const rows = await sql`
      select c.conrelid::regclass::text as "table", a.attname as "column"
      from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
      where c.contype in ('p', 'u') and c.connamespace = 'public'::regnamespace and not a.attnotnull`;
    expect(Array.from(rows)).toEqual([]);
  });

  test("every point in time has a time zone", async () => {
    const { sql } = await use(createTestDatabase);
    const rows = await sql`
      select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type in ('timestamp without time zone', 'time without time zone')`;
    expect(Array.from(rows)).toEqual([]);
  });

  test("the audit log refuses changes", async () => {
    const { sql } = await use(createTestDatabase);
    await sql`insert into audit_entries (actor, action, target) values ('a', 'b', 'c')`;
    await expect(sql`update audit_entries set actor = 'x'`).rejects.toThrow(/append-only/);
    await expect(sql`delete from audit_entries`).rejects.toThrow(/append-only/);
  });

  test("drizzle would generate no further migration", async () => {
    const journal = JSON.parse(await readFile("db/migrations/meta/_journal.json", "utf8"));
    const last = String(journal.entries.at(-1).idx).padStart(4, "0");
    const snapshot = JSON.parse(await readFile(`db/migrations/meta/${last}_snapshot.json`, "utf8"));
    expect(await generateMigration(snapshot, generateDrizzleJson(schema, snapshot.id))).toEqual([]);
  });

  test("migrated tables are the ones that drizzle knows: columns, types, nullability, constraints, indexes", async () => {
    const { sql } = await use(createTestDatabase);
    for (const table of Object.values(schema).filter((value) => is(value, PgTable))) {
      const config = getTableConfig(table);
      const columns = await sql`
        select attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required
        from pg_attribute where attrelid = ${config.name}::regclass and attnum > 0 and not attisdropped`;
      const expected = config.columns.map((column) => ({
        name: column.name,
        type: column.getSQLType(),
        required: column.notNull || column.primary,
      }));
      expect(byName(columns), config.name).toEqual(byName(expected));

      const names = await sql`
        select conname as name from pg_constraint
        where conrelid = ${config.name}::regclass and contype in ('c', 'u', 'f')
        union all select relname from pg_index join pg_class on pg_class.oid = indexrelid
        where indrelid = ${config.name}::regclass and not indisprimary and not exists (
          select from pg_constraint where conindid = indexrelid and contype = 'u')`;
      const wanted = [
        ...config.checks.map((check) => check.name),
        ...config.uniqueConstraints.map((unique) => unique.getName()),
        ...config.foreignKeys.map((key) => key.getName()),
        ...config.indexes.map((index) => index.config.name),
      ];
      expect(names.map((row) => row.name).sort(), config.name).toEqual(wanted.sort());
    }
  });
});

function byName<Row extends { name?: unknown }>(rows: Iterable<Row>): Row[] {
  return [...rows].map((row) => ({ ...row })).sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1));
}
