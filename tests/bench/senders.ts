import type postgres from "postgres";
import type { Lab } from "./support/lab.ts";
import { startPeer } from "./support/start-peer.ts";

/** Calls in flight at the most, the same for all. */
export const IN_FLIGHT = 32;

/** A dispatcher on a database of its own, with its messages still to come. */
export type Sender = {
  sql: postgres.Sql;
  pid: number;
  /** Puts `count` pending messages to this URL in its table. */
  seed(url: string, count: number): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Statement that returns a row while messages are left. */
  anyLeft: string;
  /** Statement that forgets everything that was sent. */
  empty: string;
};

/** About the size of a confirmation; `n` counts the messages of one seeding. */
export const BODY = `json_build_object('type', 'credit.granted', 'timestamp', '2026-03-03T10:02:11.000Z', 'data',
  json_build_object('source', 'stripe', 'account', 'acct_acme', 'invoice', 'in_' || n, 'credits', 100, 'workspace',
  json_build_object('id', 'ws_1', 'name', 'Workspace 1'), 'link', 'https://counterfoil.example.test/inbox/' || n))::text`;

const BY_HAND_SCHEMA = `
create table outbox (
  id uuid primary key default gen_random_uuid(),
  url text not null,
  body text not null,
  status text not null default 'pending',
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
create index on outbox (id) where status = 'pending'`;

export async function openByHand(lab: Lab, database: string): Promise<Sender> {
  const url = await lab.createDatabase(database);
  const sql = lab.open(url);
  await sql.unsafe(BY_HAND_SCHEMA);
  return {
    sql,
    ...(await startSender(lab, "send-by-hand", { DATABASE_URL: url })),
    async seed(destination, count) {
      await sql.unsafe(
        `insert into outbox (url, body) select $1, ${BODY} from generate_series(1, $2::int) n`,
        [destination, count],
      );
      await sql`vacuum analyze outbox`;
    },
    anyLeft: "select from outbox where status = 'pending' limit 1",
    empty: "truncate outbox",
  };
}

export async function openPgBoss(lab: Lab, database: string): Promise<Sender> {
  const url = await lab.createDatabase(database);
  const sql = lab.open(url);
  return {
    sql,
    ...(await startSender(lab, "send-pg-boss", { DATABASE_URL: url })),
    async seed(destination, count) {
      await sql.unsafe(
        `insert into pgboss.job (name, data)
         select 'send', jsonb_build_object('id', gen_random_uuid(), 'url', $1::text, 'body', ${BODY})
         from generate_series(1, $2::int) n`,
        [destination, count],
      );
      await sql`analyze pgboss.job`;
    },
    anyLeft: "select from pgboss.job where name = 'send' and state < 'completed' limit 1",
    empty: "truncate pgboss.job",
  };
}

async function startSender(lab: Lab, file: string, env: Record<string, string>) {
  const peer = await startPeer(lab, {
    command: [`tests/bench/peers/${file}.ts`],
    env: { IN_FLIGHT: String(IN_FLIGHT), ...env },
  });
  await peer.ask("prepare");
  return { pid: peer.pid, start: () => peer.ask<void>("start"), stop: () => peer.ask<void>("stop") };
}
