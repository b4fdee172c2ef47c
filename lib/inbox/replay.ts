import { v7 as uuidv7 } from "uuid";
import type { Sql, Tx } from "#db/client.ts";
import { isOutage, sqlState } from "#db/errors.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { Verdict } from "#db/states.ts";
import { failpoint } from "#lib/failpoint.ts";
import { loadRow } from "./claim.ts";
import { describeFailure } from "./classify-failure.ts";
import { type Ruling, rule } from "./decide.ts";
import { loadFacts, loadPayments, lockKeys } from "./facts.ts";
import { LANES } from "./lanes.ts";
import { isPrepared, lockKeysOf, type NotPrepared, needsOf, paymentsOf, prepare } from "./prepare.ts";
import type { InboxRow } from "./row.ts";
import { settleRows } from "./settle-rows.ts";

export type ReplayRequest = { id: string; actor: string; reason: string; dryRun: boolean };

export type ReplayAnswer = {
  verdict: Verdict;
  why: string;
  /** uuid of the receipt that made the effect, where it is there already. */
  by: string | null;
  /** The operation's id; null for a dry run. */
  operation: string | null;
};

type Judgement = Omit<ReplayAnswer, "operation">;

/**
 * Replays one event through the same decisions and the same set-wise write as live processing; a dry run stops before
 * the write. Null when there is no such event. Waits for a worker that is at the event; a lock that does not come in
 * time throws (SQLSTATE 55P03), and nothing was changed.
 */
export async function replayEvent(sql: Sql, request: ReplayRequest): Promise<ReplayAnswer | null> {
  if (request.dryRun) {
    return (await sql.begin("read only", async (tx) => {
      const row = await loadRow(tx, request.id, false);
      return row && { ...(await foresee(tx, row)), operation: null };
    })) as ReplayAnswer | null;
  }
  const answer = (await repeatOnConflict(() =>
    sql.begin(async (tx) => {
      const row = await loadRow(tx, request.id, true);
      failpoint("replay.before-write");
      const judged = row && (await replayLocked(tx, row, request));
      failpoint("replay.before-commit");
      return judged;
    }),
  )) as ReplayAnswer | null;
  failpoint("replay.after-commit");
  return answer;
}

async function replayLocked(tx: Tx, row: InboxRow, { actor, reason }: ReplayRequest): Promise<ReplayAnswer> {
  const operation = uuidv7();
  await tx`
    insert into operations (id, action, actor, reason, status, finished_at)
    values (${operation}, 'replay', ${actor}, ${reason}, 'done', now())`;
  const judgement = await replayRow(tx, row, { actor, reason, operation });
  await tx`
    insert into operation_items (operation_id, inbox_event_id, verdict, why, finished_at)
    values (${operation}, ${row.id}, ${judgement.verdict}, ${judgement.why}, clock_timestamp())`;
  await tx`
    insert into audit_entries (actor, action, target, reason, before, after)
    values (${actor}, 'inbox.replay', ${`inbox:${row.id}`}, ${reason},
      ${tx.json({ status: row.status, outcome: row.outcome })}, ${tx.json({ verdict: judgement.verdict, operation })})`;
  return { ...judgement, operation };
}

export type ReplayBy = { actor: string; reason: string; operation: string };

/**
 * A done row stays done, and only moves on from an outcome that left something to do. Any other is settled anew, unless
 * something blocks it: then it stays as it is, and the replay is one more attempt in its history. The row is locked.
 */
export async function replayRow(tx: Tx, row: InboxRow, by: ReplayBy): Promise<Judgement> {
  const first = await foresee(tx, row, true);
  const settles = first.verdict !== "blocked" && (row.status !== "done" || first.verdict === "would_apply");
  if (!settles) {
    await recordReplay(tx, row, first, by);
    return first;
  }
  const attempter = { kind: "replay" as const, workerId: null, ...by, operationId: by.operation };
  const { settled, failed } = await settleRows(tx, [row], attempter);
  if (failed[0]) throw failed[0].error;
  const [only] = settled;
  if (!only) throw new Error("the event changed while it was replayed");
  if (only.settlement.status !== "done") return { verdict: "blocked", why: only.settlement.why, by: null };
  const primary = only.verdicts[0]!;
  return { verdict: primary.outcome, why: primary.why, by: primary.byEventId };
}

/** States in which a person has to decide something else first. */
function holdBack(row: InboxRow): Judgement | null {
  if (row.status === "quarantined") return blocked("it is quarantined: resolve that first");
  if (row.status === "dismissed") return blocked("it was dismissed");
  // Here it would take the web server down, or a worker with all that is beside it.
  if (row.failureClass === "poison" || row.lane === LANES.ALONE)
    return blocked("a process died at it: a retry works it alone");
  // Its key and type were read under a contract that nobody has confirmed; the release reads them anew.
  if (row.waitsKind === "contract") return blocked("the source's contract is not confirmed");
  return null;
}

const blocked = (why: string): Judgement => ({ verdict: "blocked", why, by: null });

/** What processing would come to now: the same decision, nothing written. */
async function foresee(tx: Tx, row: InboxRow, lock = false): Promise<Judgement> {
  const held = holdBack(row);
  if (held) return held;
  // Only a fault in an effect is a verdict; the database's own errors end the transaction, and are the caller's.
  try {
    const result = prepare(row);
    if (!isPrepared(result)) return toJudgement(result);
    const resolved = await loadPayments(tx, paymentsOf(result));
    if (lock) await lockKeys(tx, lockKeysOf(result, resolved));
    const facts = await loadFacts(tx, needsOf(result, resolved), lock, resolved);
    return keepOutcome(row, toJudgement(rule(result, facts)));
  } catch (error) {
    if (sqlState(error) || isOutage(error)) throw error;
    return blocked(describeFailure(error));
  }
}

/** Some effects would do again what they did (mark a resource, say). A done row moves on from two outcomes alone. */
function keepOutcome(row: InboxRow, judged: Judgement): Judgement {
  const mayMove = row.status !== "done" || row.outcome === "not_eligible" || row.outcome === "stale";
  if (mayMove || judged.verdict !== "would_apply") return judged;
  return { verdict: "already_applied", why: "it was applied when it was processed", by: row.id };
}

function toJudgement(ruling: Ruling | NotPrepared): Judgement {
  if (ruling.kind !== "done") return blocked(ruling.why);
  const { outcome, why, byEventId } = ruling.verdicts[0]!;
  return { verdict: outcome === "applied" ? "would_apply" : outcome, why, by: byEventId };
}

async function recordReplay(tx: Tx, row: InboxRow, { verdict, why }: Judgement, by: ReplayBy): Promise<void> {
  await tx`
    insert into inbox_attempts (inbox_event_id, kind, started_at, finished_at, result, why, actor, reason, operation_id)
    values (${row.id}, 'replay', ${row.claimedAt}, clock_timestamp(), ${verdict}, ${why}, ${by.actor}, ${by.reason},
      ${by.operation})`;
}
