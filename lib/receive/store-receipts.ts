import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { InboxStatus } from "#db/states.ts";
import { failpoint } from "#lib/failpoint.ts";
import { insertReceipts, type NumberedReceipt } from "./insert-receipts.ts";
import { recordRepeats } from "./record-repeats.ts";
import type { Receipt, Stored } from "./types.ts";

/**
 * Stores a batch of receipts and says, in the same order, what became of each. New ones cost one statement and one
 * commit together; repetitions, also of a receipt in the same batch, one more. Throws when a commit is not certain.
 */
export async function storeReceipts(sql: Sql, receipts: readonly Receipt[]): Promise<Stored[]> {
  const numbered = receipts.map((receipt) => ({ id: uuidv7(), receipt }));
  const leaders = leadersOf(numbered);
  failpoint("receive.before-store");
  const created = await insertReceipts(sql, leaders);
  failpoint("receive.after-insert");
  const repeated = numbered.filter(({ id }) => !created.has(id));
  const repeats = repeated.length === 0 ? [] : await recordRepeats(sql, repeated);
  failpoint("receive.after-commit");
  const firstOf = new Map(repeats.map((repeat) => [repeat.id, repeat]));
  return numbered.map(({ id, receipt }) => {
    const status = created.get(id);
    if (status) return { result: resultOf(status), event: id };
    const repeat = firstOf.get(id);
    // Keys are never deleted while a sender may still redeliver, so the twin that made the insert yield is there.
    if (!repeat) throw new Error("the first receipt of a repeated event key was not found");
    const quarantined =
      !repeat.consistent || receipt.state.status === "quarantined" || repeat.status === "quarantined";
    return { result: quarantined ? "quarantined" : "duplicate", event: repeat.first };
  });
}

/** One receipt per event key: the first. Its twins in the batch are repetitions of it. */
function leadersOf(numbered: readonly NumberedReceipt[]): NumberedReceipt[] {
  const leaders = new Map<string, NumberedReceipt>();
  for (const entry of numbered) {
    const key = JSON.stringify([entry.receipt.sourceId, entry.receipt.account, entry.receipt.eventId]);
    if (!leaders.has(key)) leaders.set(key, entry);
  }
  return [...leaders.values()];
}

function resultOf(status: InboxStatus): Stored["result"] {
  return status === "ignored" || status === "quarantined" ? status : "accepted";
}
