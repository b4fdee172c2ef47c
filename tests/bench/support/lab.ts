import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { migrate } from "#db/migrate.ts";
import { ensureBodyPartitions } from "#db/partitions.ts";
import { startTestServer } from "#tests/support/embedded.ts";
import { Figures } from "./figures.ts";

/** What every benchmark works with: one PostgreSQL, a place for files, and a list of what to end. */
export type Lab = {
  /** Shorter and smaller, for a look while working. */
  quick: boolean;
  adminUrl: string;
  figures: Figures;
  wants(contender: string): boolean;
  /** An empty database on the one server; with `migrated`, one with the product's schema. */
  createDatabase(name: string, options?: { migrated?: boolean }): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** A connection for preparations, ended with the lab. */
  open(url: string, max?: number): postgres.Sql;
  makeDirectory(name: string): Promise<string>;
  /** Ended last begun first. */
  onClose(end: () => Promise<unknown>): void;
  close(): Promise<void>;
};

export async function openLab({ quick, only }: { quick: boolean; only: string[] }): Promise<Lab> {
  const ends: (() => Promise<unknown>)[] = [];
  let closing: Promise<void> | undefined;
  const server = await startTestServer();
  ends.push(() => server.stop());
  const admin = postgres(server.adminUrl, { max: 1, onnotice: () => {} });
  ends.push(() => admin.end({ timeout: 1 }));

  async function close(): Promise<void> {
    for (const end of ends.reverse()) await end().catch((error) => console.error(error));
  }

  return {
    quick,
    adminUrl: server.adminUrl,
    figures: new Figures(),
    wants: (contender) => only.length === 0 || only.some((name) => contender.startsWith(name)),
    async createDatabase(name, { migrated = false } = {}) {
      await admin.unsafe(`create database ${name}`);
      const url = new URL(server.adminUrl);
      url.pathname = `/${name}`;
      if (migrated) await prepareSchema(url.href);
      return url.href;
    },
    async dropDatabase(name) {
      await admin.unsafe(`drop database if exists ${name} with (force)`);
    },
    open(url, max = 1) {
      // A look at a queue must not read the table: right after the seeding the planner may believe it to be empty.
      const connection = { statement_timeout: 0, enable_seqscan: "off" };
      const sql = postgres(url, { max, onnotice: () => {}, connection });
      ends.push(() => sql.end({ timeout: 1 }));
      return sql;
    },
    async makeDirectory(name) {
      const path = await mkdtemp(join(tmpdir(), `counterfoil-bench-${name}-`));
      ends.push(() => rm(path, { recursive: true, force: true }));
      return path;
    },
    onClose: (end) => void ends.push(end),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

async function prepareSchema(url: string): Promise<void> {
  await migrate(url);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await ensureBodyPartitions(sql, { days: [30] });
  await sql.end();
}
