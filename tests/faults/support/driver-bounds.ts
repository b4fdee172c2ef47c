import { setTimeout as sleep } from "node:timers/promises";
import { type Round, settle } from "./driver-round.ts";

/** BEGIN that fills the pipeline exactly: it was sent without its owner, and its transaction stayed open. */
export async function beginAtPipelineLimit(round: Round) {
  const sql = round.open({ max: round.pick([1, 2]), max_pipeline: 20 });
  await Promise.all(Array.from({ length: sql.options.max }, () => sql`select pg_sleep(0.02)`));
  for (const burst of [18, 19, 20, 21]) {
    const queries = Array.from({ length: burst }, () => settle(sql`select 1`.execute()));
    const { value, error } = await round.settle(
      "transaction in a burst",
      sql.begin((tx) => tx`select 2 as two`),
    );
    if (value?.[0]?.two !== 2) round.fail(`transaction behind ${burst} queries: ${error}`);
    if ((await Promise.all(queries)).some((query) => !query.value)) round.fail("a query of the burst failed");
  }
}

/** A branch of a transaction that goes on after its end must not write on its own, outside of it. */
export async function writeAfterTransaction(round: Round) {
  const sql = round.open({ max: 1 });
  for (const divisor of [0, 1]) {
    let late: Promise<unknown> | undefined;
    const run = sql.begin(async (tx) => {
      const write = () =>
        tx`insert into driver_fuzz_rows (round, name, n) values (${round.id}, 'late', ${divisor})`;
      late = settle(sleep(20).then(write));
      await tx`select 1 / ${divisor}::int`;
    });
    await round.settle("transaction", run);
    await late;
  }
  const rows = await round.admin`select n from driver_fuzz_rows where round = ${round.id}`;
  if (rows.length > 0) round.fail(`${rows.length} statements ran outside of their ended transactions`);
}

/** Cancelling needs a connection of its own; that the server refuses it must not end the process. */
export async function cancelWithoutServer(round: Round) {
  const sql = round.open({ max: 1 });
  await sql`select 1`;
  const query = sql`select pg_sleep(0.2)`;
  const running = settle(query);
  await sleep(20);
  const ports = sql.options.port;
  const [port] = ports.splice(0, 1, 1); // nobody listens on port 1
  query.cancel();
  await sleep(50);
  ports[0] = port!;
  await running;
}

/** A query that fails after its first rows, as at a statement timeout, must leave no holes in the next result. */
export async function failMidResult(round: Round) {
  const sql = round.open({ max: 1 });
  const { error } = await round.settle(
    "failing query",
    sql`select 1 / (3 - n) from generate_series(1, 5) as n`,
  );
  if (!error) round.fail("a division by zero resolved");
  const rows = await sql`select 1 as one`;
  if (rows.length !== 1 || rows[0]?.one !== 1)
    round.fail(`the result after a failed one: ${JSON.stringify(rows)}`);
}
