import type { Sql, Tx } from "#db/client.ts";
import { isOutage, sqlState } from "#db/errors.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import { failpoint } from "#lib/failpoint.ts";
import { describeFailure } from "#lib/inbox/classify-failure.ts";
import { findAction } from "./actions.ts";
import type { BulkAction, By, Item, ItemVerdict } from "./types.ts";

/** A running operation as a worker sees it. */
export type Running = { id: string; action: string; actor: string; reason: string };

export type Step = {
  /** Ordinal of the last item that was looked at; null when there was none after `after`. */
  last: number | null;
  /** How many got their verdict. */
  settled: number;
};

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Acts on the next items after an ordinal, and gives each its verdict, in one transaction: a worker that dies leaves
 * them as they were. Items that another worker holds are passed over. What fails as a set is taken one by one; one that
 * fails alone has failed. Throws only when the database is what failed.
 */
export async function runStep(sql: Sql, running: Running, after: number): Promise<Step> {
  const action = findAction(running.action);
  if (!action) return { last: null, settled: 0 };
  const by: By = {
    operation: running.id,
    actor: { name: running.actor, scopes: [] },
    reason: running.reason,
  };
  try {
    return await repeatOnConflict(() => step(sql, action, by, after, action.step));
  } catch (error) {
    if (isOutage(error)) throw error;
    return await isolate(sql, action, by, after);
  }
}

/** The one item after `after`. */
async function isolate(sql: Sql, action: BulkAction, by: By, after: number): Promise<Step> {
  try {
    return await repeatOnConflict(() => step(sql, action, by, after, 1));
  } catch (error) {
    if (isOutage(error)) throw error;
    // Somebody holds what it needs: its turn comes again, after the others'.
    if (sqlState(error) === LOCK_NOT_AVAILABLE)
      return { last: await nextOpen(sql, by.operation, after), settled: 0 };
    return (await sql.begin(async (tx) => {
      const [item] = await lockItems(tx, by.operation, after, 1);
      if (!item) return { last: null, settled: 0 };
      const { ordinal } = item;
      await record(tx, by.operation, [{ ordinal, verdict: "failed", why: describeFailure(error) }]);
      return { last: ordinal, settled: 1 };
    })) as Step;
  }
}

async function step(sql: Sql, action: BulkAction, by: By, after: number, limit: number): Promise<Step> {
  return (await sql.begin(async (tx) => {
    const items = await lockItems(tx, by.operation, after, limit);
    const last = items.at(-1)?.ordinal ?? null;
    if (last === null) return { last, settled: 0 };
    const verdicts = await action.act(tx, by, items);
    await record(tx, by.operation, verdicts);
    failpoint("operation.before-commit");
    return { last, settled: verdicts.length };
  })) as Step;
}

/** Only of an operation that still runs; read anew in each step, so that a cancelled one ends. */
async function lockItems(tx: Tx, operation: string, after: number, limit: number): Promise<Item[]> {
  return await tx<Item[]>`
    select i.ordinal, i.inbox_event_id as "eventId", i.outbox_message_id as "messageId", i.was,
      i.was_attempts as "wasAttempts"
    from operation_items i join operations o on o.id = i.operation_id
    where i.operation_id = ${operation} and i.verdict is null and i.ordinal > ${after}
      and o.status = 'running' and o.started_at is not null
    order by i.ordinal limit ${limit} for update of i skip locked`;
}

async function nextOpen(sql: Sql, operation: string, after: number): Promise<number | null> {
  const [row] = await sql<{ next: number | null }[]>`
    select min(ordinal) as next from operation_items
    where operation_id = ${operation} and verdict is null and ordinal > ${after}`;
  return row?.next ?? null;
}

async function record(tx: Tx, operation: string, verdicts: readonly ItemVerdict[]): Promise<void> {
  if (verdicts.length === 0) return;
  await tx`
    update operation_items item set verdict = given.verdict, why = given.why, finished_at = clock_timestamp()
    from json_to_recordset(${JSON.stringify(verdicts)}::text::json) as given (ordinal int, verdict text, why text)
    where item.operation_id = ${operation} and item.ordinal = given.ordinal and item.verdict is null`;
}
