import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type Client, comesBack, isConnectionError, type Round, type Settled } from "./driver-round.ts";
import type { Cut } from "./driver-wire.ts";

type Tx = Parameters<Parameters<Client["begin"]>[1]>[0];
type Report = {
  name: string;
  statements: number;
  returned: boolean;
  settled?: Settled<unknown>;
  couldCommit: boolean;
};

const ROWS = "driver_fuzz_rows"; // created once by driver-fuzz.ts; each row records the transaction that wrote it

/** Several transactions and queued innocents on one small pool; the first transaction loses its connection. */
export async function killTransaction(round: Round) {
  const sql = round.open({ max: round.pick([1, 1, 2, 3]), prepare: round.pick([true, true, false]) });
  const innocents: Promise<void>[] = [];
  let victim: Promise<void> | undefined;
  const reports = Array.from({ length: round.pick([1, 2, 3]) }, (_, i) => newReport(round, i));
  const startInnocents = (from: number) => {
    for (let i = from; i < from + 4; i++) innocents.push(askInnocently(round, sql, i, false));
  };

  await Promise.all(
    reports.map(async (report, i) => {
      const run = sql.begin(async (tx) => {
        if (i > 0) return writeRows(round, tx as Tx, report);
        startInnocents(0);
        const kill = await planKill(round, tx as Tx, report.statements);
        victim = writeRows(round, tx as Tx, report, kill);
        await victim;
      });
      report.settled = await round.settle(`transaction ${i}`, run);
      report.couldCommit = report.returned;
      if (i === 0) startInnocents(4);
    }),
  );
  await round.settle("statement of the lost transaction", Promise.resolve(victim));
  await Promise.all(innocents);
  await comesBack(round, sql);
  if (!round.anyoneMayBeLost && reports.slice(1).some((report) => report.settled?.error)) {
    round.fail(`an innocent transaction was rejected: ${reports.map((r) => String(r.settled?.error))}`);
  }
  await checkRows(round, reports);
}

/** The server itself ends the transaction because its client took too long. */
export async function idleTooLong(round: Round) {
  const sql = round.open({ max: 1 });
  const report = newReport(round, 0);
  const innocents: Promise<void>[] = [];
  const run = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = '30ms'`;
    for (let i = 0; i < 3; i++) innocents.push(askInnocently(round, sql, i, false));
    await writeRows(round, tx as Tx, report, {
      at: 1,
      strike: async () => void (await sleep(60 + 30 * round.random())),
    });
  });
  report.settled = await round.settle("idle transaction", run);
  report.couldCommit = report.returned;
  await Promise.all(innocents);
  await checkRows(round, [report]);
}

type Kill = { at: number; strike(): unknown };

/** Where in its life the transaction loses its connection (before which statement; the last is COMMIT), and how. */
async function planKill(round: Round, tx: Tx, statements: number): Promise<Kill> {
  const [own] = await tx`select pg_backend_pid() as pid, inet_client_port() as port`;
  const cut = round.pick<Cut>(["fin", "reset"]);
  const strike = round.pick([
    () => void process.kill(own!.pid, "SIGTERM"), // what pg_terminate_backend does, without a connection
    () => round.wire.cut(own!.port, cut),
  ]);
  const at = Math.floor(round.random() * (statements + 3));
  if (at < statements) {
    const pause = round.pick([0, 0, 1, 5, 20]);
    const strikes = [
      () => strikeThenWait(strike, pause),
      () => strikeSoon(strike),
      () => strikeDuring(tx, strike),
    ];
    return { at, strike: round.pick(strikes) };
  }
  const strikes = [
    () => round.wire.cutAtNextMessage(own!.port, "message lost", cut),
    () => round.wire.cutAtNextMessage(own!.port, "answer lost", cut),
    () => strikeDuringCommit(round, strike),
  ];
  return { at: statements, strike: strikes[at - statements]! };
}

async function strikeThenWait(strike: () => void, pause: number) {
  strike();
  if (pause > 0) await sleep(pause);
}

function strikeSoon(strike: () => void) {
  setImmediate(strike);
}

async function strikeDuring(tx: Tx, strike: () => void) {
  setTimeout(strike, 5);
  await tx`select pg_sleep(0.05)`;
}

/** COMMIT takes 10 ms here (see startFuzzServer), so this hits it before, amid and after. */
function strikeDuringCommit(round: Round, strike: () => void) {
  // Whoever gets the connection after COMMIT may be hit as well.
  round.anyoneMayBeLost = true;
  setTimeout(strike, 20 * round.random());
}

async function writeRows(round: Round, tx: Tx, report: Report, kill?: Kill) {
  const style = round.pick(["one by one", "pipelined", "stubborn", "savepoint"] as const);
  const pending: Promise<unknown>[] = [];
  let firstError: unknown;
  const insert = (on: Tx, n: number) =>
    on`insert into ${on(ROWS)} (round, name, n) values (${round.id}, ${report.name}, ${n})`;

  for (let n = 0; n <= report.statements; n++) {
    try {
      if (kill?.at === n) await kill.strike();
      if (n === report.statements) break;
      if (style === "pipelined")
        pending.push(Promise.resolve(insert(tx, n)).catch((e) => (firstError ??= e)));
      else if (style === "savepoint") await tx.savepoint((inner) => insert(inner as Tx, n));
      else await insert(tx, n);
      if (round.random() < 0.3) await nextTurn();
    } catch (error) {
      // A stubborn transaction goes on after its connection died: exactly what must never reach the next one.
      firstError ??= error;
      if (style !== "stubborn") break;
      await sleep(round.pick([0, 1, 10, 80]));
    }
  }
  await Promise.all(pending);
  if (firstError) throw firstError;
  report.returned = true;
}

/** Asks for its own token back, and accepts a lost connection only where it may have been on that connection. */
export async function askInnocently(round: Round, sql: Client, token: number, mayBeLost: boolean) {
  const { value, error } = await round.settle(`innocent query ${token}`, sql`select ${token}::int as token`);
  if (value && value[0]?.token !== token)
    round.fail(`innocent query got another's answer: ${JSON.stringify(value)}`);
  if (error && !((mayBeLost || round.anyoneMayBeLost) && isConnectionError(error)))
    round.fail(`innocent query got an error: ${error}`);
}

function newReport(round: Round, i: number): Report {
  return { name: `tx-${i}`, statements: round.pick([2, 3, 5]), returned: false, couldCommit: false };
}

async function checkRows(round: Round, reports: Report[]) {
  await waitForBackends(round);
  const rows = await round.admin`select name, xid, count(*)::int as n from ${round.admin(ROWS)}
    where round = ${round.id} group by name, xid`;
  for (const { name, statements, settled, couldCommit } of reports) {
    const own = rows.filter((row) => row.name === name);
    const written = own.reduce((sum, row) => sum + row.n, 0);
    if (own.length > 1) round.fail(`${name}: its rows were written by ${own.length} transactions`);
    if (written !== 0 && written !== statements)
      round.fail(`${name}: half applied, ${written} of ${statements}`);
    if (settled && "value" in settled && written !== statements)
      round.fail(`${name}: resolved, but ${written} of ${statements} rows`);
    if (settled?.error && !couldCommit && written > 0)
      round.fail(`${name}: rejected before COMMIT, but ${written} rows`);
    if (settled?.error && !isConnectionError(settled.error))
      round.fail(`${name}: rejected with ${settled.error}`);
  }
  if (new Set(rows.map((row) => row.xid)).size < rows.length)
    round.fail("rows of two transactions share one");
}

/** The verdict is only final when no transaction of the round is still running on the server. */
async function waitForBackends(round: Round) {
  for (let i = 0; i < 100; i++) {
    const [busy] = await round.admin`select count(*)::int as n from pg_stat_activity
      where application_name = ${round.id} and state <> 'idle'`;
    if (busy!.n === 0) return;
    await sleep(20);
  }
  round.fail("a transaction was left open on the server");
}
