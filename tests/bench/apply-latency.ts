import type postgres from "postgres";
import { openGraphileWorker, prepareOurs } from "./appliers.ts";
import type { Arrival, ArrivalOrder } from "./support/arrivals.ts";
import { formatNumber, printTable } from "./support/figures.ts";
import type { Lab } from "./support/lab.ts";
import { type Contender, measureInRounds, medians } from "./support/rounds.ts";
import { startPeer } from "./support/start-peer.ts";
import { percentile } from "./support/statistics.ts";

type Latency = { p50: number; p99: number };

const PER_SECOND = 100;
const LIMIT_MS = 20_000;

/** From the call that stores an event to the commit of its grant, at a rate that leaves both workers mostly idle. */
export async function measureLatency(lab: Lab): Promise<void> {
  const contenders: Contender<Latency>[] = [];
  if (lab.wants("ours")) contenders.push(await openOurs(lab));
  if (lab.wants("graphile")) contenders.push(await openGraphile(lab));
  await measureInRounds(contenders, 1); // Cold code would count as slowness.
  const samples = await measureInRounds(contenders, lab.quick ? 3 : 7);
  const results = new Map([...samples].map(([name, all]) => [name, medians(all)]));
  for (const [name, { p50, p99 }] of results) {
    lab.figures.add(`apply.${name}.latency_p50`, "ms", p50);
    lab.figures.add(`apply.${name}.latency_p99`, "ms", p99);
  }
  printTable(
    `Apply: arrival to completion at ${PER_SECOND} events a second (medians of the rounds)`,
    ["", "p50 ms", "p99 ms"],
    [...results].map(([name, { p50, p99 }]) => [name, formatNumber(p50), formatNumber(p99)]),
  );
  const ratio = (of: keyof Latency) =>
    (results.get("ours")?.[of] ?? Number.NaN) / (results.get("graphile")?.[of] ?? Number.NaN);
  lab.figures.addTargets("Apply: latency, ours to graphile-worker's", [
    { name: "apply.ratio.latency_p50_ours_to_graphile", unit: "×", value: ratio("p50"), atMost: 1 },
    { name: "apply.ratio.latency_p99_ours_to_graphile", unit: "×", value: ratio("p99"), atMost: 1 },
  ]);
}

/** The real worker process, and a process that stores and hints as the web process does. */
async function openOurs(lab: Lab): Promise<Contender<Latency>> {
  const { url, sql, secretKey } = await prepareOurs(lab, "latency_ours");
  const env = { DATABASE_URL: url, SECRET_KEY: secretKey, LOG_LEVEL: "warn" };
  const isReady = async () => (await sql`select from workers`).length > 0;
  await startPeer(lab, { command: ["worker/main.ts"], env, isReady });
  return openContender(lab, "ours", url, sql);
}

async function openGraphile(lab: Lab): Promise<Contender<Latency>> {
  const { url, sql, start } = await openGraphileWorker(lab, "latency_graphile", {
    concurrency: 10,
    grant: "steps",
  });
  await start();
  return openContender(lab, "graphile", url, sql);
}

async function openContender(
  lab: Lab,
  name: string,
  url: string,
  sql: postgres.Sql,
): Promise<Contender<Latency>> {
  await noteCompletions(sql);
  const peer = await startPeer(lab, {
    command: [`tests/bench/peers/${name}-arrivals.ts`],
    env: { DATABASE_URL: url },
  });
  const order: ArrivalOrder = { count: (lab.quick ? 4 : 10) * PER_SECOND, perSecond: PER_SECOND };
  return {
    name,
    async measure() {
      const arrivals = await peer.ask<Arrival[]>("run", order);
      const completed = await waitForCompletions(sql, arrivals.length);
      const times = arrivals.map(([invoice, at]) => completed.get(invoice)! - at);
      await sql`truncate bench_completions`;
      return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
    },
  };
}

/** Both ledgers note, as the last thing before the commit, when an entry came to be. */
async function noteCompletions(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create unlogged table bench_completions (subject text primary key, at float8 not null);
    create function bench_note() returns trigger language plpgsql as $$
    begin
      insert into bench_completions values (new.subject, extract(epoch from clock_timestamp()) * 1000);
      return null;
    end $$;
    create constraint trigger bench_note after insert on credit_entries deferrable initially deferred
      for each row execute function bench_note()`);
}

async function waitForCompletions(sql: postgres.Sql, count: number): Promise<Map<string, number>> {
  for (const start = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const rows = await sql<{ subject: string; at: number }[]>`select subject, at from bench_completions`;
    if (rows.length === count) return new Map(rows.map(({ subject, at }) => [subject, at]));
    if (Date.now() - start > LIMIT_MS)
      throw new Error(`${rows.length} of ${count} events were completed in time`);
  }
}
