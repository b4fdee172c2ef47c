import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type Client, comesBack, isConnectionError, type Round, settle } from "./driver-round.ts";
import { askInnocently } from "./driver-transactions.ts";

/** A reserved connection dies: its owner gets errors, its release does no harm, and the pool goes on. */
export async function killReserved(round: Round) {
  const sql = round.open({ max: 1, fetch_types: round.pick([true, false]) });
  const reserving = await round.settle("reserve", sql.reserve());
  const own = reserving.value;
  if (!own) return round.fail(`reserve: ${reserving.error}`);
  const [backend] = await own`select pg_backend_pid() as pid, inet_client_port() as port`;
  const innocents = [0, 1].map((token) => askInnocently(round, sql, token, false));
  const next = sql.reserve();
  const inFlight = Array.from({ length: round.pick([0, 1, 3]) }, () => settle(own`select pg_sleep(0.02)`));
  await sleep(round.pick([0, 5]));
  round.random() < 0.5
    ? process.kill(backend!.pid, "SIGTERM")
    : round.wire.cut(backend!.port, round.pick(["fin", "reset"]));
  if ((await Promise.all(inFlight)).some((query) => query.hung))
    round.fail("never settled: query on a reserved connection");
  await sleep(round.pick([0, 1, 10, 60]));
  const late = await round.settle("late query on a reserved connection", own`select pg_backend_pid() as pid`);
  if (late.value && late.value[0]?.pid !== backend!.pid)
    round.fail("a reserved statement ran on the connection that replaced its own");
  own.release();
  const second = await round.settle("reserve after the loss", next);
  if (second.error) round.fail(`reserve after the loss: ${second.error}`);
  second.value?.release();
  await Promise.all(innocents);
  await Promise.all([2, 3, 4].map((token) => askInnocently(round, sql, token, false)));
}

/** Pipelined statements, each its own transaction: what resolved is there once, what was rejected at most once. */
export async function killPipeline(round: Round) {
  const sql = round.open({ max: round.pick([1, 2]) });
  const [backend] = await sql`select pg_backend_pid() as pid, inet_client_port() as port`;
  const writes = Array.from({ length: 20 }, (_, n) =>
    round.settle(
      `write ${n}`,
      sql`insert into driver_fuzz_rows (round, name, n) values (${round.id}, 'pipeline', ${n})`,
    ),
  );
  await sleep(round.pick([0, 0, 1, 2]));
  round.random() < 0.5
    ? process.kill(backend!.pid, "SIGTERM")
    : round.wire.cut(backend!.port, round.pick(["fin", "reset"]));
  const settled = await Promise.all(writes);
  await comesBack(round, sql);
  await sleep(20);
  const rows =
    await round.admin`select n, count(*)::int as times from driver_fuzz_rows where round = ${round.id} group by n`;
  settled.forEach(({ value, error }, n) => {
    const times = rows.find((row) => row.n === n)?.times ?? 0;
    if (value ? times !== 1 : times > 1) round.fail(`pipelined write ${n} is there ${times} times`);
    if (error && !isConnectionError(error)) round.fail(`pipelined write ${n}: ${error}`);
  });
}

/** Queries go out in every turn of the event loop, so also in the one in which the connection closes. */
export async function killBusyPool(round: Round) {
  const sql = round.open({ max: round.pick([1, 2]) });
  const [backend] = await sql`select pg_backend_pid() as pid, inet_client_port() as port`;
  const how = round.pick(["signal", "fin", "reset"] as const);
  setTimeout(() => {
    how === "signal" ? process.kill(backend!.pid, "SIGTERM") : round.wire.cut(backend!.port, how);
  }, 5);
  const answers: Promise<void>[] = [];
  for (const end = Date.now() + 25; Date.now() < end; await nextTurn())
    answers.push(askInnocently(round, sql, answers.length, true));
  await Promise.all(answers);
  await comesBack(round, sql);
}

/** The connection breaks while it is being made: inside log-in, type look-up or the first statement. */
export async function cutStartup(round: Round) {
  for (const answers of [0, 1, 2, 3, 4]) {
    const sql = round.open({ max: round.pick([1, 2]) });
    round.wire.cutNextStartup(answers, round.pick(["fin", "reset"]));
    await startUsing(round, sql);
  }
}

/** The password is fetched from somewhere, and its connection is gone by the time it arrives. */
export async function cutBeforePassword(round: Round) {
  for (const wait of [0, 1, 5, 30]) {
    let calls = 0;
    const password = async () => {
      if (calls++ > 0) return round.password;
      round.wire.cutAll(round.pick(["fin", "reset"]));
      await sleep(wait);
      return round.password;
    };
    await startUsing(round, round.open({ max: 1, password }));
  }
}

async function startUsing(round: Round, sql: Client) {
  const first = round.pick(["query", "transaction", "reserve"] as const);
  if (first === "query") await askInnocently(round, sql, 0, true);
  if (first === "transaction")
    await round.settle(
      "first transaction",
      sql.begin((tx) => tx`select 1`),
    );
  if (first === "reserve") (await round.settle("first reserve", sql.reserve())).value?.release();
  await Promise.all([1, 2, 3].map((token) => askInnocently(round, sql, token, true)));
  await comesBack(round, sql);
}

/** The pool is being closed while its connection dies: closing must come to an end (runRound waits for it). */
export async function killWhileEnding(round: Round) {
  const sql = round.open({ max: 1 });
  const [backend] = await sql`select pg_backend_pid() as pid`;
  const running = settle(sql`select pg_sleep(1)`);
  await sleep(5);
  const ending = sql.end();
  setTimeout(() => process.kill(backend!.pid, "SIGTERM"), 5);
  await round.settle("end of the pool", ending);
  if ((await running).hung) round.fail("never settled: the last query");
}

/** LISTEN must come back by itself and hear again, whatever ended its backend. */
export async function killListener(round: Round) {
  const sql = round.open({ max: 2 });
  const heard: string[] = [];
  let listening = 0;
  const { state } = await sql.listen(
    round.id,
    (payload) => heard.push(payload),
    () => void listening++,
  );
  await sql.listen(`${round.id}-other`, () => {});
  process.kill(state.pid, "SIGTERM");
  await waitUntil(round, "LISTEN did not come back", () => listening >= 2);
  await sql.notify(round.id, "after");
  await waitUntil(round, "the new LISTEN hears nothing", () => heard.includes("after"));
}

/** The whole server dies or is restarted under load; transactions stay whole and the pool finds its way back. */
export async function killServer(round: Round) {
  const sql = round.open({ max: 3 });
  let listening = 0;
  await sql.listen(
    round.id,
    () => {},
    () => void listening++,
  );
  const before = Number(
    (await round.admin`select extract(epoch from pg_postmaster_start_time()) as t`)[0]!.t,
  );
  const dataDir = (await round.admin`show data_directory`)[0]!.data_directory as string;
  const postmaster = Number((await readFile(join(dataDir, "postmaster.pid"), "utf8")).split("\n")[0]);
  const load = Array.from({ length: 12 }, (_, i) => keepWriting(round, sql, i));
  await sleep(20 + 60 * round.random());
  process.kill(postmaster, round.pick(["SIGKILL", "SIGINT", "SIGQUIT"]));
  await Promise.all(load);
  await comesBack(round, sql);
  await waitUntil(round, "LISTEN did not come back after a restart", () => listening >= 2);
  const [after] = await sql`select extract(epoch from pg_postmaster_start_time()) as t`;
  if (Number(after!.t) === before) round.fail("the server did not restart");
  const torn = await sql`select name from driver_fuzz_rows where round = ${round.id}
    group by name having count(*) <> 3 or count(distinct xid) <> 1`;
  if (torn.length > 0) round.fail(`${torn.length} transactions half applied by a restart`);
}

async function keepWriting(round: Round, sql: Client, worker: number) {
  for (let turn = 0; turn < 12; turn++) {
    const name = `worker-${worker}-${turn}`;
    const write = sql.begin(async (tx) => {
      for (let n = 0; n < 3; n++)
        await tx`insert into driver_fuzz_rows (round, name, n) values (${round.id}, ${name}, ${n})`;
    });
    const { error } = await round.settle(name, write);
    if (error && !isConnectionError(error)) round.fail(`${name}: ${error}`);
    if (error) await sleep(50);
  }
}

async function waitUntil(round: Round, failure: string, holds: () => boolean) {
  for (let i = 0; i < 1000 && !holds(); i++) await sleep(10);
  if (!holds()) round.fail(failure);
}
