import { type Applier, openGraphileWorker, openOurs, openPgBoss } from "./appliers.ts";
import { drain } from "./support/drain.ts";
import { formatNumber, printTable } from "./support/figures.ts";
import type { Lab } from "./support/lab.ts";
import { measureInRounds, medians } from "./support/rounds.ts";

type Entry = {
  name: string;
  label: string;
  /** Events per measurement: some seconds' worth each, so the fast ones get more. */
  events: number;
  open(lab: Lab, database: string): Promise<Applier>;
};

const ENTRIES: Entry[] = [
  ...[1, 4, 8].map((concurrency) => ({
    name: `ours_${concurrency}`,
    label: `Counterfoil, ${concurrency} transaction${concurrency > 1 ? "s" : ""} in flight`,
    events: 32_000,
    open: (lab: Lab, database: string) => openOurs(lab, database, concurrency),
  })),
  {
    name: "graphile",
    label: "graphile-worker, 10 jobs in flight",
    events: 4_000,
    open: (lab, database) => openGraphileWorker(lab, database, { concurrency: 10, grant: "steps" }),
  },
  {
    name: "graphile_local",
    label: "graphile-worker, 24 jobs in flight, local queue of 500",
    events: 6_000,
    open: (lab, database) =>
      openGraphileWorker(lab, database, { concurrency: 24, localQueue: 500, grant: "steps" }),
  },
  {
    name: "pg_boss",
    label: "pg-boss, 4 workers, batches of 50",
    events: 6_000,
    open: (lab, database) => openPgBoss(lab, database, "steps"),
  },
  {
    name: "expert_graphile_local",
    label: "the same graphile-worker, the grant as one statement",
    events: 8_000,
    open: (lab, database) =>
      openGraphileWorker(lab, database, { concurrency: 24, localQueue: 500, grant: "one-statement" }),
  },
  {
    name: "expert_pg_boss",
    label: "the same pg-boss, the grant as one statement",
    events: 8_000,
    open: (lab, database) => openPgBoss(lab, database, "one-statement"),
  },
];

/** Rows per second from a full queue to an empty one. */
export async function measureThroughput(lab: Lab): Promise<void> {
  let next = 1;
  const entries = ENTRIES.filter(({ name }) => lab.wants(name));
  const contenders = [];
  for (const { name, events, open } of entries) {
    const applier = await open(lab, `apply_${name}`);
    const measure = async (count: number) => {
      const sample = await drain(applier, next, count);
      next += count;
      await applier.sql.unsafe(applier.empty);
      await applier.sql`vacuum analyze workspaces`;
      return sample;
    };
    await measure(events / 4); // Cold code would count as slowness.
    contenders.push({ name, measure: () => measure(lab.quick ? events / 2 : events) });
  }
  const samples = await measureInRounds(contenders, lab.quick ? 3 : 7);
  report(lab, entries, new Map([...samples].map(([name, all]) => [name, medians(all)])));
}

type Result = { rate: number; cpu: number };

function report(lab: Lab, entries: readonly Entry[], results: Map<string, Result>): void {
  for (const [name, { rate, cpu }] of results) {
    lab.figures.add(`apply.${name}.rate`, "rows/s", rate);
    lab.figures.add(`apply.${name}.cpu`, "µs/row", cpu);
  }
  printTable(
    "Apply: credit grants per second, and processor time of worker and PostgreSQL (medians of the rounds)",
    ["", "rows/s", "µs a row"],
    entries.map(({ name, label }) => {
      const { rate, cpu } = results.get(name)!;
      return [label, formatNumber(rate), formatNumber(cpu)];
    }),
  );
  const best = (prefix: string) =>
    Math.max(...[...results].filter(([name]) => name.startsWith(prefix)).map(([, { rate }]) => rate));
  const ours = best("ours");
  lab.figures.addTargets("Apply: ours against its peers, each in its best setting", [
    { name: "apply.ratio.rate_ours_to_graphile", unit: "×", value: ours / best("graphile"), atLeast: 6 },
    { name: "apply.ratio.rate_ours_to_pg_boss", unit: "×", value: ours / best("pg_boss"), atLeast: 12 },
    { name: "apply.ratio.rate_ours_to_expert_graphile", unit: "×", value: ours / best("expert_graphile") },
    { name: "apply.ratio.rate_ours_to_expert_pg_boss", unit: "×", value: ours / best("expert_pg_boss") },
  ]);
}
