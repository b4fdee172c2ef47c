import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { openWire, type Wire } from "./driver-wire.ts";

export type Driver = typeof postgres;
export type Client = ReturnType<Driver>;
export type Settled<T> = { value?: T; error?: unknown; hung?: true };

/** How long anything may take before it counts as never settling; real answers take milliseconds. */
const DEADLINE_MS = 8_000;

/** What a caller must expect when its own connection is lost. Any other error belongs to somebody else. */
const CONNECTION_ERRORS = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "57P01", // terminated by an administrator
  "57P02", // another backend crashed
  "57P03", // the server is starting or stopping
  "25P03", // idle in transaction for too long
]);

export type Round = {
  id: string;
  password: string;
  wire: Wire;
  random(): number;
  pick<T>(choices: readonly T[]): T;
  open(options?: Record<string, unknown>): Client;
  admin: Client;
  /** Set by a kill that may also hit the next owner of its connection. */
  anyoneMayBeLost: boolean;
  fail(what: string): void;
  settle<T>(what: string, promise: PromiseLike<T>): Promise<Settled<T>>;
};

export async function runRound(
  driver: Driver,
  url: string,
  number: number,
  seed: number,
  play: (round: Round) => Promise<void>,
) {
  const failures: string[] = [];
  const clients: Client[] = [];
  const random = seededRandom(seed + number * 7919);
  const wire = await openWire(Number(new URL(url).port));
  const id = `round-${number}-${randomUUID()}`; // its rows stay apart when a seed is played again
  const common = { onnotice: () => {}, backoff: () => 0.05, connect_timeout: 5 };
  const admin = driver(url, { ...common, max: 1 });

  const round: Round = {
    id,
    password: decodeURIComponent(new URL(url).password),
    wire,
    random,
    admin,
    pick: (choices) => choices[Math.floor(random() * choices.length)]!,
    open(options) {
      const through = new URL(url);
      through.port = String(wire.port);
      const client = driver(through.href, { ...common, connection: { application_name: id }, ...options });
      clients.push(client);
      return client;
    },
    anyoneMayBeLost: false,
    fail: (what) => void failures.push(what),
    async settle(what, promise) {
      const settled = await settle(promise);
      if (settled.hung) failures.push(`never settled: ${what}`);
      return settled;
    },
  };

  await play(round);
  for (const client of clients) await round.settle("end of the pool", client.end());
  await admin.end({ timeout: 1 });
  await wire.close();
  return failures;
}

export async function settle<T>(promise: PromiseLike<T>): Promise<Settled<T>> {
  const abort = new AbortController();
  const hung = sleep(DEADLINE_MS, { hung: true } as const, { signal: abort.signal }).catch(() => ({}));
  const settled = Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error ?? new Error("rejected with nothing") }),
  );
  const first = await Promise.race([settled, hung]);
  abort.abort();
  return first;
}

export function isConnectionError(error: unknown): boolean {
  return CONNECTION_ERRORS.has((error as { code?: string } | undefined)?.code ?? "");
}

/** After the loss the pool must answer again, by itself and soon. */
export async function comesBack(round: Round, sql: Client) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { value, hung } = await settle(sql`select 1 as one`);
    if (value) return;
    if (hung) return round.fail("never settled: query after the loss");
    await sleep(100);
  }
  round.fail("the pool did not come back");
}

/** Mulberry32: small, and the same figures on every machine, so that a failing round can be run again. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
