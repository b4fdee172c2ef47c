import { type Applier, openOurs } from "./appliers.ts";
import { drain } from "./support/drain.ts";
import { formatNumber, printTable } from "./support/figures.ts";
import type { Lab } from "./support/lab.ts";
import { measureInRounds, medians } from "./support/rounds.ts";
import { seedDone } from "./support/seed-done.ts";

const CONCURRENCY = 4;

/** Our rate with years of done events in the tables, against the rate in empty ones. */
export async function measureHistory(lab: Lab): Promise<void> {
  if (!lab.wants("ours")) return;
  const done = lab.quick ? 200_000 : 5_000_000;
  const events = lab.quick ? 15_000 : 40_000;
  const young = await openOurs(lab, "history_none", CONCURRENCY);
  const old = await openOurs(lab, "history_long", CONCURRENCY);
  await seedDone(old.sql, done);
  // Numbers that the done events do not have, or they would be found granted.
  let next = 1 + done;
  const measure = async (applier: Applier) => {
    const sample = await drain(applier, next, events);
    next += events;
    return sample;
  };
  const contenders = [
    {
      name: "empty",
      measure: async () => {
        const sample = await measure(young);
        await young.sql.unsafe(young.empty);
        return sample;
      },
    },
    { name: "with_history", measure: () => measure(old) },
  ];
  await measureInRounds(contenders, 1); // Cold code would count as slowness.
  const samples = await measureInRounds(contenders, lab.quick ? 3 : 7);
  const [empty, withHistory] = contenders.map(({ name }) => medians(samples.get(name)!).rate);
  lab.figures.add("apply.history.rows", "rows", done);
  lab.figures.add("apply.history.rate_empty", "rows/s", empty!);
  lab.figures.add("apply.history.rate_with_history", "rows/s", withHistory!);
  printTable(
    `Apply: ours, ${CONCURRENCY} transactions in flight`,
    ["done rows in the tables", "rows/s"],
    [
      ["none", formatNumber(empty!)],
      [formatNumber(done), formatNumber(withHistory!)],
    ],
  );
  lab.figures.addTargets("Apply: what history costs", [
    { name: "apply.ratio.rate_with_history_to_empty", unit: "×", value: withHistory! / empty!, atLeast: 0.9 },
  ]);
}
