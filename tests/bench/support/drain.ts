import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Applier } from "../appliers.ts";
import { cpuBetween, readCpu } from "./cpu.ts";

/** Milliseconds between two looks whether work is left: a look costs far less than it takes to come again. */
const LOOK_EVERY = 20;
const LIMIT_MS = 300_000;

export type DrainSample = { rate: number; cpu: number };

/**
 * Rows per second that a worker gets through, and microseconds of processor that a row costs it and PostgreSQL, from
 * its start until nothing is left. The ledger is checked afterwards.
 */
export async function drain(applier: Applier, from: number, count: number): Promise<DrainSample> {
  const { sql, anyLeft } = applier;
  await applier.seed(from, count);
  const before = await readLedger(applier);
  const cpuBefore = await readCpu(sql, applier.pid);
  const start = performance.now();
  await applier.start();
  while ((await sql.unsafe(anyLeft)).length > 0) {
    if (performance.now() - start > LIMIT_MS) throw new Error(`a worker did not finish in time`);
    await sleep(LOOK_EVERY);
  }
  const seconds = (performance.now() - start) / 1_000;
  const cpu = cpuBetween(cpuBefore, await readCpu(sql, applier.pid)) / count;
  await applier.stop();
  const after = await readLedger(applier);
  const done = { entries: after.entries - before.entries, messages: after.messages - before.messages };
  const moved = after.balance - before.balance;
  if (done.entries !== count || done.messages !== count || moved !== 100 * count) {
    throw new Error(
      `a worker made of ${count} events ${done.entries} entries, ${done.messages} messages, ${moved} credits`,
    );
  }
  return { rate: count / seconds, cpu };
}

async function readLedger({ sql }: Applier): Promise<{ entries: number; messages: number; balance: number }> {
  const [row] = await sql<{ entries: number; messages: number; balance: number }[]>`
    select (select count(*) from credit_entries)::float8 as entries, (select count(*) from outbox_messages)::float8 as messages,
      (select sum(credit_balance) from workspaces)::float8 as balance`;
  return row!;
}
