import { cp, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import { findFreePort } from "#db/embedded/cluster.ts";
import { buildConsole } from "#lib/supervise/build-console.ts";
import { HAND_WRITTEN_SCHEMA } from "./peers/hand-written-schema.ts";
import type { Lab } from "./support/lab.ts";
import type { LoadSample } from "./support/load.ts";
import type { LoadOrder } from "./support/load-process.ts";
import { runToEnd } from "./support/run-to-end.ts";
import { seedProduct } from "./support/seed-product.ts";
import { type Peer, ROOT, startPeer } from "./support/start-peer.ts";
import { STRIPE_SECRET } from "./support/stripe-traffic.ts";

export type Receiver = {
  name: string;
  label: string;
  run(connections: number, seconds: number): Promise<LoadSample>;
  /** Rows in its database. */
  countStored(): Promise<number>;
  pid: number;
  sql: postgres.Sql;
};

const NEXT = "node_modules/next/dist/bin/next";
/** The driver's pool in the contender without HTTP; with more connections it was slower (two processors). */
const DRIVER_POOL = "10";

/** Starts every receiver on a database of its own. Idle ones cost nothing while another is measured. */
export async function openReceivers(lab: Lab): Promise<Receiver[]> {
  const load = await startPeer(lab, { command: ["tests/bench/support/load-process.ts"], env: {} });
  const throughHttp =
    (port: number, path: string): Receiver["run"] =>
    (connections, seconds) =>
      load.ask<LoadSample>("run", { port, path, connections, seconds } satisfies LoadOrder);

  const openers: Record<string, () => Promise<Receiver>> = {
    ours: () => openOurs(lab, throughHttp),
    ours_in_next: () => openOursInNext(lab, throughHttp),
    next_by_hand: () => openNextByHand(lab, throughHttp),
    node_by_hand: () => openNodeByHand(lab, throughHttp),
    driver: () => openDriver(lab),
  };
  const receivers: Receiver[] = [];
  for (const [name, open] of Object.entries(openers)) if (lab.wants(name)) receivers.push(await open());
  return receivers;
}

type ThroughHttp = (port: number, path: string) => Receiver["run"];

async function openOurs(lab: Lab, throughHttp: ThroughHttp): Promise<Receiver> {
  await buildConsole(ROOT, new AbortController().signal);
  const { env, ...database } = await prepareProduct(lab, "receive_ours");
  const port = await findFreePort();
  const { pid } = await startPeer(lab, {
    command: ["app/web-server.ts"],
    env: { ...env, PORT: String(port) },
  });
  return {
    name: "ours",
    label: "Counterfoil",
    run: throughHttp(port, "/api/webhooks/stripe"),
    pid,
    ...database,
  };
}

async function openOursInNext(lab: Lab, throughHttp: ThroughHttp): Promise<Receiver> {
  await buildConsole(ROOT, new AbortController().signal);
  const { env, ...database } = await prepareProduct(lab, "receive_ours_in_next");
  const port = await findFreePort();
  const { pid } = await startNext(lab, ROOT, port, env);
  return {
    name: "ours_in_next",
    label: "Counterfoil through next start",
    run: throughHttp(port, "/api/webhooks/stripe"),
    pid,
    ...database,
  };
}

async function openNextByHand(lab: Lab, throughHttp: ThroughHttp): Promise<Receiver> {
  const dir = await lab.makeDirectory("next-app");
  await cp(join(import.meta.dirname, "peers/next-app"), dir, { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
  await writeFile(join(dir, "package.json"), '{"private":true,"type":"module"}');
  await runToEnd(lab, [join(ROOT, NEXT), "build"], dir);
  const { env, ...database } = await prepareByHand(lab, "receive_next_by_hand");
  const port = await findFreePort();
  const { pid } = await startNext(lab, dir, port, env);
  return {
    name: "next_by_hand",
    label: "Next.js route handler, by hand",
    run: throughHttp(port, "/webhook"),
    pid,
    ...database,
  };
}

async function openNodeByHand(lab: Lab, throughHttp: ThroughHttp): Promise<Receiver> {
  const { env, ...database } = await prepareByHand(lab, "receive_node_by_hand");
  const port = await findFreePort();
  const { pid } = await startPeer(lab, {
    command: ["tests/bench/peers/node-http.ts"],
    env: { ...env, PORT: String(port) },
  });
  return {
    name: "node_by_hand",
    label: "node:http, by hand",
    run: throughHttp(port, "/"),
    pid,
    ...database,
  };
}

async function openDriver(lab: Lab): Promise<Receiver> {
  const { env, ...database } = await prepareByHand(lab, "receive_driver");
  const peer = await startPeer(lab, {
    command: ["tests/bench/peers/driver.ts"],
    env: { ...env, POOL: DRIVER_POOL },
  });
  return {
    name: "driver",
    label: "driver alone, no HTTP",
    run: (connections, seconds) => peer.ask<LoadSample>("run", { connections, seconds }),
    pid: peer.pid,
    ...database,
  };
}

function startNext(lab: Lab, dir: string, port: number, env: Record<string, string>): Promise<Peer> {
  return startPeer(lab, {
    command: [join(ROOT, NEXT), "start", "--hostname", "127.0.0.1", "--port", String(port)],
    cwd: dir,
    env,
    isReady: () => answers(`http://127.0.0.1:${port}/`),
  });
}

async function answers(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => null);
  await answer?.body?.cancel();
  return answer !== null;
}

async function prepareProduct(lab: Lab, name: string) {
  const url = await lab.createDatabase(name, { migrated: true });
  const sql = lab.open(url);
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: await seedProduct(sql),
    DATA_DIR: await lab.makeDirectory("data"),
    HOST: "127.0.0.1",
    LOG_LEVEL: "warn",
  };
  const countStored = async () =>
    Number((await sql`select count(*) from inbox_events join inbox_bodies on inbox_event_id = id`)[0]!.count);
  return { env, sql, countStored };
}

async function prepareByHand(lab: Lab, name: string) {
  const url = await lab.createDatabase(name);
  const sql = lab.open(url);
  await sql.unsafe(HAND_WRITTEN_SCHEMA);
  const countStored = async () => Number((await sql`select count(*) from webhook_events`)[0]!.count);
  return { env: { DATABASE_URL: url, STRIPE_SECRET }, sql, countStored };
}
