import type { Tx } from "#db/client.ts";
import { failpoint } from "#lib/failpoint.ts";
import { type EffectVerdict, type Ruling, rule } from "./decide.ts";
import { type BatchFacts, loadFacts, lockKeys } from "./facts.ts";
import { isPrepared, type NotPrepared, type Prepared, prepare } from "./prepare.ts";
import type { FailedTry } from "./retry.ts";
import type { InboxRow } from "./row.ts";
import { settle } from "./settle.ts";
import { type Attempter, type Settled, writeSettlements } from "./write-settlements.ts";

/** What became of claimed rows; each is in one of the two lists. */
export type SettledRows = { claimed: InboxRow[]; settled: Settled[]; failed: FailedTry[] };

/** Rounds in which entries may turn out to be there already; the second meets what the first could not see. */
const ENTRY_ROUNDS = 5;

/** Settles claimed (locked) rows inside the caller's transaction. Used by the worker and by replays alike. */
export async function settleRows(tx: Tx, claimed: InboxRow[], by: Attempter): Promise<SettledRows> {
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

/** The try that just went wrong, as the retry schedule wants it. */
export function failedTry(row: InboxRow, error: unknown): FailedTry {
  const { id, sourceId, attempts, roundAttempts, claimedAt } = row;
  return { id, sourceId, attempts, roundAttempts, startedAt: claimedAt, error };
}
