import type { Tx } from "#db/client.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import type { Settled } from "./write-settlements.ts";

type Key = { source: string; account: string; kind: "event" | "link"; key: string };

/**
 * Arms what waits for the grants and payment links of a batch, in its transaction: also rows of the same batch that
 * began to wait a moment ago. What begins to wait in another transaction meanwhile is found by the sweep.
 */
export async function releaseInBatch(tx: Tx, batch: readonly Settled[]): Promise<number> {
  const keys = batch.flatMap(({ row, verdicts }): Key[] => {
    const of = { source: row.sourceId, account: row.account };
    return verdicts.flatMap(({ changes }) => [
      ...(changes.entries ?? [])
        .filter(({ operation }) => operation === "initial-credit-grant")
        .map(({ subject }) => ({ ...of, kind: "event" as const, key: subject })),
      ...(changes.links ?? []).map(({ payment }) => ({ ...of, kind: "link" as const, key: payment })),
    ]);
  });
  if (keys.length === 0) return 0;
  const { count } = await tx.unsafe(RELEASE, [JSON.stringify(keys)], { prepare: true });
  if (count > 0) await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
  return count;
}

/**
 * The arrays are read once and looked up in the index of waiting rows; joined the other way round, the planner might
 * read ten million done rows. A row that somebody else holds is left to the sweep: waiting here could be a circle.
 */
const RELEASE = `
with freed as materialized (
  select distinct * from json_to_recordset($1::text::json) as freed (source text, account text, kind text, key text)
), met as materialized (
  select waiting.id from inbox_events waiting
  where waiting.status = 'waiting' and waiting.source_id = any(array(select source from freed))
    and waiting.waits_kind in ('event', 'link') and waiting.waits_key = any(array(select key from freed))
    and (waiting.source_id, waiting.account, waiting.waits_kind, waiting.waits_key) in (select * from freed)
  for update of waiting skip locked
)
update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now(),
  round_attempts = 0, round_started_at = null, why = 'what it waited for is there'
where id = any(array(select id from met))`;
