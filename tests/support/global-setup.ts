import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { migrate } from "#db/migrate.ts";
import { ensureBodyPartitions } from "#db/partitions.ts";
import { startTestServer, type TestServer } from "./embedded.ts";

declare module "vitest" {
  export interface ProvidedContext {
    adminUrl: string;
  }
}

/** Each project runs this in a module of its own, and all of them share one server. */
type Shared = { server: Promise<TestServer>; users: number };
const shared = globalThis as typeof globalThis & { counterfoilTestServer?: Shared };

/** One server for the whole run, and a migrated database that tests copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.counterfoilTestServer ??= { server: startWithTemplate(), users: 0 };
  const mine = shared.counterfoilTestServer;
  mine.users++;
  const server = await mine.server;
  project.provide("adminUrl", server.adminUrl);
  return async () => {
    if (--mine.users > 0) return;
    shared.counterfoilTestServer = undefined;
    await server.stop();
  };
}

async function startWithTemplate(): Promise<TestServer> {
  const server = await startTestServer();
  const template = new URL(server.adminUrl);
  template.pathname = "/counterfoil_template";
  const admin = postgres(server.adminUrl, { max: 1 });
  await admin`create database counterfoil_template`;
  await admin.end();
  await migrate(template.href);
  const sql = postgres(template.href, { max: 1, onnotice: () => {} });
  await ensureBodyPartitions(sql, { days: [30] });
  await sql.end();
  return server;
}
