import { type Applier, openGraphileWorker, openOurs, openPgBoss } from "./appliers.ts";
import { drain } from "./support/drain.ts";
import { formatNumber, printTable } from "./support/figures.ts";
import type { Lab } from "./support/lab.ts";
import { measureInRounds, medians } from "./support/rounds.ts";

/** Events per measurement: enough for a few seconds each, so the fast ones get more. */
const EVENTS: Record<string, number> = {
  ours_1: 20_000,
  ours_4: 40_000,
  ours_8: 40_000,
  graphile: 4_000,
  graphile_local: 8_000,
  pg_boss: 4_000,
};

/** Rows per second from a full queue to an empty one. */
export async function measureThroughput(lab: Lab): Promise<void> {
  const appliers = await openAppliers(lab);
  const scale = lab.quick ? 0.5 : 1;
  let next = 1;
  const measure = async (applier: Applier, share: number) => {
    const count = EVENTS[applier.name]! * share;
    const sample = await drain(applier, next, count);
    next += count;
    await applier.sql.unsafe(applier.empty);
    await applier.sql`update workspaces set credit_balance = 0`;
    await applier.sql`vacuum analyze workspaces`;
    return sample;
  };
  for (const applier of appliers) await measure(applier, 0.25); // Cold code would count as slowness.
  const contenders = appliers.map((applier) => ({
    name: applier.name,
    measure: () => measure(applier, scale),
  }));
  const samples = await measureInRounds(contenders, lab.quick ? 3 : 7);
  report(lab, appliers, new Map([...samples].map(([name, all]) => [name, medians(all).rate])));
}

async function openAppliers(lab: Lab): Promise<Applier[]> {
  const openers: Record<string, () => Promise<Applier>> = {
    ours_1: () => openOurs(lab, 1),
    ours_4: () => openOurs(lab, 4),
    ours_8: () => openOurs(lab, 8),
    graphile: () => openGraphileWorker(lab, false),
    graphile_local: () => openGraphileWorker(lab, true),
    pg_boss: () => openPgBoss(lab),
  };
  const appliers: Applier[] = [];
  for (const [name, open] of Object.entries(openers)) if (lab.wants(name)) appliers.push(await open());
  return appliers;
}

function report(lab: Lab, appliers: readonly Applier[], rates: Map<string, number>): void {
  for (const [name, rate] of rates) lab.figures.add(`apply.${name}.rate`, "rows/s", rate);
  printTable(
    "Apply: credit grants per second (median of the rounds)",
    ["", "rows/s"],
    appliers.map(({ name, label }) => [label, formatNumber(rates.get(name)!)]),
  );
  const best = (prefix: string) =>
    Math.max(...[...rates].filter(([name]) => name.startsWith(prefix)).map(([, rate]) => rate));
  const ours = best("ours");
  lab.figures.addTargets("Apply: ours (best setting) against its peers", [
    { name: "apply.ratio.rate_ours_to_graphile_best", unit: "×", value: ours / best("graphile"), atLeast: 6 },
    { name: "apply.ratio.rate_ours_to_pg_boss", unit: "×", value: ours / best("pg_boss"), atLeast: 12 },
  ]);
}
