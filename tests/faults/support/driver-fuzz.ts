import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import postgres from "postgres";
import { type SupervisedServer, startSupervisedServer } from "./driver-server.ts";

export type Failure = { round: number; scenario: string; what: string };
export type FuzzResult = { rounds: number; failures: Failure[] };
type FuzzOptions = { driver: string; seed: number; rounds: number; only?: string[]; stopAtFirst?: boolean };

/** Transactions are what money depends on, so they take most of the rounds; each other loss recurs in turn. */
const MIX = [
  ...Array.from({ length: 14 }, () => "killTransaction"),
  "idleTooLong",
  "killReserved",
  "killReserved",
  "killPipeline",
  "killCursor",
  "killCursor",
  "killCopy",
  "killMidResult",
  "killBusyPool",
  "cutStartup",
  "cutBeforePassword",
  "killWhileEnding",
  "killListener",
  "killServer",
  "beginAtPipelineLimit",
  "writeAfterTransaction",
  "cancelWithoutServer",
  "failMidResult",
];
/** A round takes a tenth of a second, and a minute at most when everything in it hangs. */
const SILENCE_MS = 100_000;
const CHILD = fileURLToPath(new URL("./driver-child.ts", import.meta.url));

/** Plays rounds against the driver whose entry file is given. Nearly each of them ends a connection or more. */
export async function fuzzDriver(server: SupervisedServer, options: FuzzOptions): Promise<FuzzResult> {
  const mix = options.only ?? MIX;
  let plan = Array.from({ length: options.rounds }, (_, i): [number, string] => [i, mix[i % mix.length]!]);
  const result: FuzzResult = { rounds: 0, failures: [] };

  while (plan.length > 0) {
    const { played, crash } = await playRounds(server, options, plan, (found) =>
      result.failures.push(...found),
    );
    result.rounds += played;
    if (options.stopAtFirst && result.failures.length > 0) break;
    if (crash) {
      const [round, scenario] = plan[played]!;
      result.failures.push({ round, scenario, what: crash });
      result.rounds++;
      if (options.stopAtFirst) break;
    }
    plan = plan.slice(played + (crash ? 1 : 0));
  }
  return result;
}

async function playRounds(
  server: SupervisedServer,
  { driver, seed, stopAtFirst }: FuzzOptions,
  plan: [number, string][],
  report: (failures: Failure[]) => void,
): Promise<{ played: number; crash?: string }> {
  const argv = [CHILD, pathToFileURL(driver).href, server.url, String(seed), JSON.stringify(plan)];
  // Without the options of a test runner, which would change how uncaught errors end the process.
  const env = { ...process.env, NODE_OPTIONS: "" };
  const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"], env });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const watchdog = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
  let played = 0;
  let failed = false;
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  for await (const line of createInterface({ input: child.stdout })) {
    watchdog.refresh();
    const { number, failures } = JSON.parse(line) as { number: number; failures: string[] };
    const scenario = plan[played++]![1];
    report(failures.map((what) => ({ round: number, scenario, what })));
    failed ||= failures.length > 0;
    if (stopAtFirst && failed) child.kill("SIGKILL");
  }
  const code = await ended;
  clearTimeout(watchdog);
  if (code === 0 || (stopAtFirst && failed)) return { played };
  return { played, crash: code === null ? "the process hung" : `uncaught: ${findMessage(errors)}` };
}

function findMessage(stderr: string): string {
  return stderr.split("\n").find((line) => /^\w*Error\b/.test(line)) ?? stderr.trim().slice(0, 300);
}

/** A server with the table in which each row says by which transaction it was written. */
export async function startFuzzServer(): Promise<SupervisedServer> {
  const server = await startSupervisedServer();
  const sql = postgres(server.url, { max: 1 });
  await sql`create table driver_fuzz_rows (round text, name text, n int, xid xid8 default pg_current_xact_id())`;
  // A deferred trigger makes the COMMIT of a victim long enough to be killed in it.
  await sql.unsafe(`create function driver_fuzz_commit_slowly() returns trigger language plpgsql as
    'begin perform pg_sleep(0.01); return null; end'`);
  await sql.unsafe(`create constraint trigger slow after insert on driver_fuzz_rows deferrable initially deferred
    for each row when (new.name = 'tx-0' and new.n = 0) execute function driver_fuzz_commit_slowly()`);
  await sql.end();
  return server;
}
