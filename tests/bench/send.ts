import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { openByHand, openPgBoss, type Sender } from "./senders.ts";
import { cpuBetween, readCpu } from "./support/cpu.ts";
import { formatNumber, printTable } from "./support/figures.ts";
import type { Lab } from "./support/lab.ts";
import { measureInRounds, medians } from "./support/rounds.ts";
import { type Peer, startPeer } from "./support/start-peer.ts";

/** Milliseconds that the destination takes for each message. */
const DELAY_MS = 5;
const LOOK_EVERY = 20;
const LIMIT_MS = 300_000;

const ENTRIES: { name: string; label: string; open(lab: Lab, database: string): Promise<Sender> }[] = [
  { name: "by_hand", label: "by hand: lock, call, mark, commit", open: openByHand },
  { name: "pg_boss", label: "pg-boss, one job per message", open: openPgBoss },
];

/** Dispatchers under the same work: signed webhooks to one local destination, 32 calls in flight at the most. */
export async function benchSend(lab: Lab): Promise<void> {
  const destination = await startPeer(lab, {
    command: ["tests/bench/peers/destination.ts"],
    env: { DELAY_MS: String(DELAY_MS) },
  });
  const url = `http://127.0.0.1:${await destination.ask<number>("port")}/hook`;
  const messages = lab.quick ? 3_000 : 12_000;
  const entries = ENTRIES.filter(({ name }) => lab.wants(name));
  const contenders = [];
  for (const { name, open } of entries) {
    const sender = await open(lab, `send_${name}`);
    const measure = (count: number) => drainMessages(sender, destination, url, count);
    await measure(messages / 4); // Cold code would count as slowness.
    contenders.push({ name, measure: () => measure(messages) });
  }
  const samples = await measureInRounds(contenders, lab.quick ? 3 : 7);
  report(lab, entries, new Map([...samples].map(([name, all]) => [name, medians(all)])));
}

type Result = { rate: number; cpu: number };

/** Messages per second from a full table to an empty one; the destination must have got each of them. */
async function drainMessages(sender: Sender, destination: Peer, url: string, count: number): Promise<Result> {
  const { sql } = sender;
  await sql.unsafe(sender.empty);
  await sender.seed(url, count);
  await destination.ask("count");
  const cpuBefore = await readCpu(sql, sender.pid);
  const start = performance.now();
  await sender.start();
  while ((await sql.unsafe(sender.anyLeft)).length > 0) {
    if (performance.now() - start > LIMIT_MS) throw new Error("a dispatcher did not finish in time");
    await sleep(LOOK_EVERY);
  }
  const seconds = (performance.now() - start) / 1_000;
  const cpu = cpuBetween(cpuBefore, await readCpu(sql, sender.pid)) / count;
  await sender.stop();
  const got = await destination.ask<{ requests: number; distinct: number }>("count");
  if (got.requests !== count || got.distinct !== count)
    throw new Error(`of ${count} messages ${got.distinct} arrived, in ${got.requests} requests`);
  return { rate: count / seconds, cpu };
}

function report(lab: Lab, entries: typeof ENTRIES, results: Map<string, Result>): void {
  for (const [name, { rate, cpu }] of results) {
    lab.figures.add(`send.${name}.rate`, "messages/s", rate);
    lab.figures.add(`send.${name}.cpu`, "µs/message", cpu);
  }
  printTable(
    `Send: webhooks per second to a destination that takes ${DELAY_MS} ms, and processor time of dispatcher and PostgreSQL`,
    ["", "messages/s", "µs a message"],
    entries.map(({ name, label }) => {
      const { rate, cpu } = results.get(name)!;
      return [label, formatNumber(rate), formatNumber(cpu)];
    }),
  );
  const rate = (name: string) => results.get(name)?.rate ?? Number.NaN;
  lab.figures.addTargets("Send: ours against its peers", [
    { name: "send.ratio.rate_ours_to_pg_boss", unit: "×", value: rate("ours") / rate("pg_boss") },
    { name: "send.ratio.rate_ours_to_by_hand", unit: "×", value: rate("ours") / rate("by_hand") },
  ]);
}
