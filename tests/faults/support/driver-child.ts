// One process under test: plays rounds and prints a line for each. An uncaught exception ends it, as it would
// end a web server or worker, and the parent sees which round that was.
import * as bounds from "./driver-bounds.ts";
import * as losses from "./driver-losses.ts";
import { type Driver, type Round, runRound } from "./driver-round.ts";
import * as streams from "./driver-streams.ts";
import { idleTooLong, killTransaction } from "./driver-transactions.ts";

const SCENARIOS: Record<string, (round: Round) => Promise<void>> = {
  killTransaction,
  idleTooLong,
  ...losses,
  ...streams,
  ...bounds,
};

const [driverUrl, databaseUrl, seed, plan] = process.argv.slice(2) as [string, string, string, string];
const driver = ((await import(driverUrl)) as { default: Driver }).default;

for (const [number, scenario] of JSON.parse(plan) as [number, string][]) {
  const failures = await runRound(driver, databaseUrl, number, Number(seed), SCENARIOS[scenario]!);
  process.stdout.write(`${JSON.stringify({ number, failures })}\n`);
}
// A driver that leaks a connection would keep the process alive; the rounds have already judged that.
process.exit(0);
