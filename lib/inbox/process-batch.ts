import type { Sql, Tx } from "#db/client.ts";
import { isOutage } from "#db/errors.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import { failpoint } from "#lib/failpoint.ts";
import { claimDue, claimIds } from "./claim.ts";
import { type EffectVerdict, type Ruling, rule } from "./decide.ts";
import { type BatchFacts, loadFacts, lockKeys } from "./facts.ts";
import { isPrepared, type NotPrepared, type Prepared, prepare } from "./prepare.ts";
import { type FailedTry, recordFailedTries } from "./retry.ts";
import type { InboxRow } from "./row.ts";
import { settle } from "./settle.ts";
import { type Attempter, type Settled, writeSettlements } from "./write-settlements.ts";

export type BatchReport = {
  /** Rows that were claimed. */
  claimed: number;
  /** Rows that left `pending`, by the state they went to. */
  settled: Record<string, number>;
  /** Rows that will be tried again. */
  failed: number;
};

type Claim = { limit: number } | { ids: string[] };
type Outcome = { claimed: InboxRow[]; settled: Settled[]; failed: FailedTry[] };

/** Rounds in which entries may turn out to be there already; the second meets what the first could not see. */
const ENTRY_ROUNDS = 5;

/**
 * Claims due rows, lets their effects decide, and writes all decisions in the one claiming transaction. A row whose
 * decision throws is left out of the set and scheduled for a retry in a transaction of its own; when the set itself
 * fails it is halved, down to the row that is to blame. Throws only when the database is what failed: that uses up no
 * row's attempts.
 */
export async function processBatch(sql: Sql, claim: Claim, workerId: string): Promise<BatchReport> {
  const by: Attempter = { kind: "process", workerId };
  let seen: InboxRow[] = [];
  let outcome: Outcome;
  try {
    outcome = await repeatOnConflict(() =>
      sql.begin(async (tx) => {
        seen = "ids" in claim ? await claimIds(tx, claim.ids) : await claimDue(tx, claim.limit);
        failpoint("apply.after-claim");
        const result = await settleRows(tx, seen, by);
        failpoint("apply.before-commit");
        return result;
      }),
    );
  } catch (error) {
    if (seen.length === 0 || isOutage(error)) throw error;
    return await isolate(sql, seen, error, workerId);
  }
  if (outcome.settled.length > 0) failpoint("apply.after-commit");
  await recordFailedTries(sql, outcome.failed, workerId);
  return report(outcome);
}

/** Halves a set that failed; a lone row that fails is to blame. */
async function isolate(sql: Sql, rows: InboxRow[], error: unknown, workerId: string): Promise<BatchReport> {
  if (rows.length === 1) {
    await recordFailedTries(sql, [failedTry(rows[0]!, error)], workerId);
    return { claimed: 1, settled: {}, failed: 1 };
  }
  const middle = Math.ceil(rows.length / 2);
  const reports: BatchReport[] = [];
  for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
    reports.push(await processBatch(sql, { ids: half.map(({ id }) => id) }, workerId));
  }
  return reports.reduce(add);
}

/** Settles claimed (locked) rows inside the caller's transaction. Used by the worker and by replays alike. */
export async function settleRows(tx: Tx, claimed: InboxRow[], by: Attempter): Promise<Outcome> {
  const failed: FailedTry[] = [];
  const attempt = <T>(row: InboxRow, work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      failed.push(failedTry(row, error));
      return undefined;
    }
  };

  const read = claimed.flatMap((row) => {
    const result = attempt(row, () => prepare(row));
    return result ? [{ row, result }] : [];
  });
  const prepared = read.flatMap(({ result }) => (isPrepared(result) ? [result] : []));
  await lockKeys(
    tx,
    prepared.flatMap((entry) => entry.lockKeys),
  );

  failpoint("apply.after-locks");
  const settled: Settled[] = [];
  // A second round meets entries that a concurrent winner committed between our facts and our insert.
  for (let open = read, round = 0; open.length > 0; round++) {
    if (round === ENTRY_ROUNDS) throw new Error("entries of this batch keep changing");
    const facts = await loadFacts(
      tx,
      open.flatMap(({ result }) => (isPrepared(result) ? result.needs : [])),
      true,
    );
    const drafts = open.flatMap(({ row, result }) => {
      const ruling = attempt(row, () => rulingOf(result, facts));
      return ruling ? [draft(row, ruling)] : [];
    });
    failpoint("apply.before-write");
    const written = await writeSettlements(tx, drafts, by);
    settled.push(...drafts.filter(({ row }) => written.has(row.id)));
    const missing = new Set(drafts.filter(({ row }) => !written.has(row.id)).map(({ row }) => row.id));
    open = open.filter(({ row }) => missing.has(row.id));
  }
  return { claimed, settled, failed };
}

function rulingOf(result: Prepared | NotPrepared, facts: BatchFacts): Ruling | NotPrepared {
  return isPrepared(result) ? rule(result, facts) : result;
}

function draft(row: InboxRow, ruling: Ruling | NotPrepared): Settled {
  const verdicts: EffectVerdict[] = ruling.kind === "done" ? ruling.verdicts : [];
  return { row, settlement: settle(row, ruling), verdicts };
}

function failedTry({ id, attempts, roundAttempts, claimedAt }: InboxRow, error: unknown): FailedTry {
  return { id, attempts, roundAttempts, startedAt: claimedAt, error };
}

function report({ claimed, settled, failed }: Outcome): BatchReport {
  const byStatus: Record<string, number> = {};
  for (const { settlement } of settled) byStatus[settlement.status] = (byStatus[settlement.status] ?? 0) + 1;
  return { claimed: claimed.length, settled: byStatus, failed: failed.length };
}

function add(a: BatchReport, b: BatchReport): BatchReport {
  const settled = { ...a.settled };
  for (const [status, count] of Object.entries(b.settled)) settled[status] = (settled[status] ?? 0) + count;
  return { claimed: a.claimed + b.claimed, settled, failed: a.failed + b.failed };
}
