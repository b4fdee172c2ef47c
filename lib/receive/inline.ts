import { v7 as uuidv7 } from "uuid";
import type { Sql, Tx } from "#db/client.ts";
import { failpoint } from "#lib/failpoint.ts";
import { claimIds } from "#lib/inbox/claim.ts";
import { settleRows } from "#lib/inbox/settle-rows.ts";
import { observeBatch } from "#lib/telemetry/observe-apply.ts";
import { insertReceipts } from "./insert-receipts.ts";
import type { Receipt, Stored } from "./types.ts";

/** Milliseconds in which the effect must be there (CONTRACT §7). */
const LIMIT_MS = 1_000;

export type InlineOptions = {
  sql: Sql;
  /** How receipts are stored otherwise. */
  store(receipt: Receipt): Promise<Stored>;
  /** Hears why an event was left to a worker, where that was a failure. */
  onLeft?: (error: unknown, sourceId: string) => void;
};

/**
 * For sources set to `inline`: receipt, effect and completion in one transaction of the request's own. Whatever else
 * comes of it than a done event (a repetition, a wait, a failure, too little time) rolls all of it back, and the
 * receipt is stored as for any other source. Throws where that does: then nothing was promised.
 */
export function createInlineStore(options: InlineOptions): (receipt: Receipt) => Promise<Stored> {
  return async (receipt) => {
    if (receipt.state.status !== "pending") return await options.store(receipt);
    const done = await applyInline(options.sql, receipt).catch((error) => {
      if (!(error instanceof Left)) options.onLeft?.(error, receipt.sourceId);
      return null;
    });
    // A commit whose answer was lost did happen or did not: stored again, the event is a repetition, or it is new.
    return done ?? (await options.store(receipt));
  };
}

/** Ends the transaction: a worker is to do it. Nothing went wrong. */
class Left extends Error {
  override name = "Left";
}

async function applyInline(sql: Sql, receipt: Receipt): Promise<Stored> {
  const start = Date.now();
  const deadline = performance.now() + LIMIT_MS;
  const id = uuidv7();
  const settled = await sql.begin(async (tx) => {
    await limitTime(tx, LIMIT_MS);
    const created = await insertReceipts(tx, [{ id, receipt }]);
    failpoint("inline.after-insert");
    if (created.get(id) !== "pending") throw new Left("its event key is known, or it is suspected");
    const [active] = await tx`select from sources where id = ${receipt.sourceId} and status = 'active'`;
    if (!active) throw new Left("its source is paused");
    const rows = await claimIds(tx, [id]);
    const outcome = await settleRows(tx, rows, { kind: "process", workerId: null });
    if (outcome.failed[0]) throw outcome.failed[0].error;
    const [only] = outcome.settled;
    if (only?.settlement.status !== "done") throw new Left("it waits, or is for a person");
    if (performance.now() > deadline) throw new Error(`its effect took more than ${LIMIT_MS} ms`);
    failpoint("inline.before-commit");
    return [only];
  });
  failpoint("inline.after-commit");
  observeBatch(settled, start);
  return { result: "accepted", event: id };
}

/** For this transaction alone, which is right behind a transaction pooler too. */
async function limitTime(tx: Tx, ms: number): Promise<void> {
  await tx`select set_config('statement_timeout', ${`${ms}ms`}, true), set_config('lock_timeout', ${`${ms / 2}ms`}, true)`;
}
