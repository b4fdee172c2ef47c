import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { comesBack, type Round } from "./driver-round.ts";
import { askInnocently } from "./driver-transactions.ts";

/** A result read in portions is cut: the reader must learn it, since an early end reads as "that was all". */
export async function killCursor(round: Round) {
  const sql = round.open({ max: 1 });
  const [backend] = await sql`select pg_backend_pid() as pid`;
  let seen = 0;
  const take = async (rows: readonly unknown[]) => {
    seen += rows.length;
    if (seen !== 20) return;
    process.kill(backend!.pid, "SIGTERM");
    await sleep(round.pick([0, 30]));
  };
  const cursor = () => sql`select generate_series(1, 50) as n`;
  const loop = async () => {
    for await (const rows of cursor().cursor(10)) await take(rows);
  };
  const reading: Promise<unknown> = round.random() < 0.5 ? loop() : cursor().cursor(10, take);
  const { error } = await round.settle("cursor", reading);
  if (!error && seen < 50) round.fail(`a cut cursor ended as complete after ${seen} of 50 rows`);
  await comesBack(round, sql);
}

/** A large result is cut in the middle of its rows: the next query must not begin where it left off. */
export async function killMidResult(round: Round) {
  round.wire.cutNextStartup(4, round.pick(["fin", "reset"]));
  const sql = round.open({ max: 1, fetch_types: false });
  const { error, hung } = await round.settle("large result", sql`select generate_series(1, 200000) as n`);
  if (!error && !hung) round.fail("a cut result resolved");
  for (const token of [1, 2]) await askInnocently(round, sql, token, false);
}

/** COPY that is cut between two lines, before its end, or before the answer: its stream must end with an error. */
export async function killCopy(round: Round) {
  for (const where of ["between lines", "message lost", "answer lost"] as const) {
    const how = round.pick(["fin", "reset"] as const);
    const sql = round.open({ max: 1 });
    const [backend] = await sql`select inet_client_port() as port`;
    const target = await sql`copy driver_fuzz_rows (round, name, n) from stdin`.writable();
    const lines = async function* () {
      for (let n = 0; n < 5; n++) {
        if (n === 3 && where === "between lines") {
          round.wire.cut(backend!.port, how);
          await sleep(20);
        }
        yield `${round.id}\tcopy\t${n}\n`;
      }
    };
    if (where !== "between lines") round.wire.cutAtNextMessage(backend!.port, where, how);
    const { error, hung } = await round.settle("copy", pipeline(Readable.from(lines()), target));
    if (!error && !hung) round.fail("a lost COPY ended as complete");
    await comesBack(round, sql);
  }
}
