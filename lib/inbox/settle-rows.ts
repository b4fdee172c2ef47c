import type { Tx } from "#db/client.ts";
import { failpoint } from "#lib/failpoint.ts";
import { loadSubscriptions } from "#lib/outbox/fan-out.ts";
import type { BatchFacts } from "./batch-facts.ts";
import { type EffectVerdict, type Ruling, rule } from "./decide.ts";
import { loadFacts, loadPayments, lockKeys } from "./facts.ts";
import {
  isPrepared,
  lockKeysOf,
  type NotPrepared,
  needsOf,
  type Prepared,
  paymentsOf,
  prepare,
} from "./prepare.ts";
import type { FailedTry } from "./retry.ts";
import type { InboxRow } from "./row.ts";
import { settle } from "./settle.ts";
import { type Attempter, type Settled, writeSettlements } from "./write-settlements.ts";

/** What became of claimed rows; each is in one of the two lists. */
export type SettledRows = { claimed: InboxRow[]; settled: Settled[]; failed: FailedTry[] };

/**
 * Settles claimed (locked) rows inside the caller's transaction; used by the worker and by replays alike. Throws what
 * isConflict (db/errors.ts) knows where the transaction has to be made again as a whole.
 */
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
  const resolved = await loadPayments(tx, prepared.flatMap(paymentsOf));
  // Sent together, run one after the other: the facts are read by statements that begin when the locks are held.
  const locked = lockKeys(
    tx,
    prepared.flatMap((entry) => lockKeysOf(entry, resolved)),
  );
  const needs = prepared.flatMap((entry) => needsOf(entry, resolved));
  const [facts, subscriptions] = await Promise.all([
    loadFacts(tx, needs, true, resolved),
    loadSubscriptions(tx),
    locked.then(() => failpoint("apply.after-locks")),
  ]);
  failpoint("apply.after-facts");
  const settled = read.flatMap(({ row, result }) => {
    const ruling = attempt(row, () => rulingOf(result, facts));
    return ruling ? [draft(row, ruling)] : [];
  });
  failpoint("apply.before-write");
  await writeSettlements(tx, settled, by, subscriptions);
  failpoint("apply.after-write");
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
