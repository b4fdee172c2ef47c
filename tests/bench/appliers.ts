import type postgres from "postgres";
import { GRANT_SCHEMA } from "./peers/grant.ts";
import type { Lab } from "./support/lab.ts";
import { defineEvents, seedPending } from "./support/seed-events.ts";
import { seedProduct } from "./support/seed-product.ts";
import { startPeer } from "./support/start-peer.ts";
import { WORKSPACES } from "./support/workspaces.ts";

/** A worker on a database of its own, with its work still to come. */
export type Applier = {
  url: string;
  sql: postgres.Sql;
  pid: number;
  /** Puts events number `from` on in its queue. */
  seed(from: number, count: number): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Statement that returns a row while work is left. */
  anyLeft: string;
  /** Statement that forgets everything that was done. */
  empty: string;
};

/** A database with our schema, source and workspaces. */
export async function prepareOurs(
  lab: Lab,
  database: string,
): Promise<{ url: string; sql: postgres.Sql; secretKey: string }> {
  const url = await lab.createDatabase(database, { migrated: true });
  const sql = lab.open(url);
  const secretKey = await seedProduct(sql);
  await defineEvents(sql);
  return { url, sql, secretKey };
}

/** Ours, with so many transactions in flight. */
export async function openOurs(lab: Lab, database: string, concurrency: number): Promise<Applier> {
  const { url, sql } = await prepareOurs(lab, database);
  return {
    url,
    sql,
    ...(await startWorker(lab, "ours", { DATABASE_URL: url, CONCURRENCY: String(concurrency) })),
    seed: (from, count) => seedPending(sql, from, count),
    anyLeft: `select from inbox_events
      where source_id = 'stripe' and status = 'pending' and next_attempt_at <= now() limit 1`,
    empty: `truncate inbox_events, inbox_bodies, inbox_effects, inbox_attempts, credit_entries, outbox_messages cascade;
      update workspaces set credit_balance = 0`,
  };
}

export type PeerSettings = { localQueue?: number; concurrency: number; grant: "steps" | "one-statement" };

export async function openGraphileWorker(
  lab: Lab,
  database: string,
  { localQueue, concurrency, grant }: PeerSettings,
): Promise<Applier> {
  const { url, sql } = await prepareByHand(lab, database);
  const env: Record<string, string> = { DATABASE_URL: url, CONCURRENCY: String(concurrency), GRANT: grant };
  if (localQueue) env.LOCAL_QUEUE = String(localQueue);
  return {
    url,
    sql,
    ...(await startWorker(lab, "graphile-worker", env)),
    seed: async (from, count) => {
      await sql`
        select graphile_worker.add_job('grant', bench_event(n)::json)
        from generate_series(${from}::bigint, ${from + count - 1}::bigint) n`;
      await sql`analyze graphile_worker._private_jobs`;
    },
    anyLeft: "select from graphile_worker._private_jobs limit 1",
    empty: "truncate credit_entries, outbox_messages; update workspaces set credit_balance = 0",
  };
}

export async function openPgBoss(lab: Lab, database: string, grant: PeerSettings["grant"]): Promise<Applier> {
  const { url, sql } = await prepareByHand(lab, database);
  return {
    url,
    sql,
    ...(await startWorker(lab, "pg-boss", { DATABASE_URL: url, GRANT: grant })),
    seed: async (from, count) => {
      await sql`
        insert into pgboss.job (name, data)
        select 'grant', bench_event(n)::jsonb from generate_series(${from}::bigint, ${from + count - 1}::bigint) n`;
      await sql`analyze pgboss.job`;
    },
    anyLeft: "select from pgboss.job where name = 'grant' and state < 'completed' limit 1",
    empty: "truncate credit_entries, outbox_messages, pgboss.job; update workspaces set credit_balance = 0",
  };
}

async function startWorker(lab: Lab, file: string, env: Record<string, string>) {
  const peer = await startPeer(lab, { command: [`tests/bench/peers/${file}.ts`], env });
  await peer.ask("prepare");
  return { pid: peer.pid, start: () => peer.ask<void>("start"), stop: () => peer.ask<void>("stop") };
}

async function prepareByHand(lab: Lab, database: string): Promise<{ url: string; sql: postgres.Sql }> {
  const url = await lab.createDatabase(database);
  const sql = lab.open(url);
  await sql.unsafe(GRANT_SCHEMA);
  await sql`insert into workspaces (id, name, contact)
    select 'ws_' || n, 'Workspace ' || n, 'billing-' || n || '@acme.example' from generate_series(1, ${WORKSPACES}::int) n`;
  await sql`insert into customer_links (customer, workspace_id)
    select 'cus_' || n, 'ws_' || n from generate_series(1, ${WORKSPACES}::int) n`;
  await defineEvents(sql);
  return { url, sql };
}
