import type { Sql } from "#db/client.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import { failpoint } from "#lib/failpoint.ts";
import { observeBatch } from "#lib/telemetry/observe-apply.ts";
import { claimDue, claimIds } from "./claim.ts";
import type { NoteRows } from "./claims.ts";
import { isNobodysFault } from "./classify-failure.ts";
import { LANES, type Lane } from "./lanes.ts";
import { type FailedTry, recordFailedTries } from "./retry.ts";
import type { InboxRow } from "./row.ts";
import { failedTry, type SettledRows, settleRows } from "./settle-rows.ts";
import type { Attempter } from "./write-settlements.ts";

export type BatchReport = {
  /** Rows that were claimed. */
  claimed: number;
  /** Rows that left `pending`, by the state they went to. */
  settled: Record<string, number>;
  /** Rows that will be tried again. */
  failed: number;
  /** As many rows were due as were asked for: there may be more. */
  full: boolean;
};

/** Due rows of a lane (default: live), or given rows of any. */
type Claim = { limit: number; lane?: Lane } | { ids: string[] };

/**
 * Claims due rows, lets their effects decide, and writes all decisions in the one claiming transaction. A row whose
 * decision throws is left out of the set and scheduled for a retry in a transaction of its own; when the set itself
 * fails it is halved, down to the row that is to blame. Throws only when the database is what failed: that uses up no
 * row's attempts.
 *
 * `note` records the claimed rows before anything is done with them, so that one that kills the process is found.
 */
export async function processBatch(
  sql: Sql,
  claim: Claim,
  workerId: string,
  note?: NoteRows,
): Promise<BatchReport> {
  const by: Attempter = { kind: "process", workerId };
  let seen: InboxRow[] = [];
  let outcome: SettledRows;
  const start = Date.now();
  try {
    outcome = await repeatOnConflict(() =>
      sql.begin(async (tx) => {
        seen =
          "ids" in claim
            ? await claimIds(tx, claim.ids)
            : await claimDue(tx, claim.limit, claim.lane ?? LANES.LIVE);
        failpoint("apply.after-claim");
        if (seen.length > 0) await note?.(seen.map(({ id }) => id));
        failpoint("apply.after-note");
        const result = await settleRows(tx, seen, by);
        failpoint("apply.before-commit");
        return result;
      }),
    );
  } catch (error) {
    if (seen.length === 0 || isNobodysFault(error)) throw error;
    return await isolate(sql, seen, error, workerId, note);
  }
  if (outcome.settled.length > 0) failpoint("apply.after-commit");
  observeBatch(outcome.settled, start);
  await recordFailures(sql, outcome.failed, workerId, note);
  const limit = "limit" in claim ? claim.limit : 0;
  return report(outcome, (seen[0]?.lockedRows ?? -1) === limit);
}

/** What stays pending is at rest now: that the process dies later is not its doing. */
async function recordFailures(
  sql: Sql,
  failed: FailedTry[],
  workerId: string,
  note?: NoteRows,
): Promise<void> {
  if (failed.length === 0) return;
  await recordFailedTries(sql, failed, workerId);
  await note?.([]);
}

/** Halves a set that failed; a lone row that fails is to blame. */
async function isolate(
  sql: Sql,
  rows: InboxRow[],
  error: unknown,
  workerId: string,
  note?: NoteRows,
): Promise<BatchReport> {
  if (rows.length === 1) {
    await recordFailures(sql, [failedTry(rows[0]!, error)], workerId, note);
    return { claimed: 1, settled: {}, failed: 1, full: false };
  }
  const middle = Math.ceil(rows.length / 2);
  const reports: BatchReport[] = [];
  for (const half of [rows.slice(0, middle), rows.slice(middle)]) {
    reports.push(await processBatch(sql, { ids: half.map(({ id }) => id) }, workerId, note));
  }
  return reports.reduce(add);
}

function report({ claimed, settled, failed }: SettledRows, full: boolean): BatchReport {
  const byStatus: Record<string, number> = {};
  for (const { settlement } of settled) byStatus[settlement.status] = (byStatus[settlement.status] ?? 0) + 1;
  return { claimed: claimed.length, settled: byStatus, failed: failed.length, full };
}

function add(a: BatchReport, b: BatchReport): BatchReport {
  const settled = { ...a.settled };
  for (const [status, count] of Object.entries(b.settled)) settled[status] = (settled[status] ?? 0) + count;
  return { claimed: a.claimed + b.claimed, settled, failed: a.failed + b.failed, full: a.full };
}
