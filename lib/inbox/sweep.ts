import type { Sql } from "#db/client.ts";
import { sweepContracts } from "./release-by-contract.ts";

/** Rows armed per statement, so that a mass release does not hold many locks for long. */
const STEP = 1_000;

/**
 * Arms waiting rows whose condition is met by now. What releases a row does so in its own transaction; this finds the
 * ones that began to wait while that transaction was under way. Returns how many were armed.
 */
export async function sweepWaiting(sql: Sql): Promise<number> {
  let armed = await sweepContracts(sql);
  for (const condition of [LINK_IS_THERE, ACCOUNT_IS_THERE, GRANT_IS_THERE]) {
    for (let step = STEP; step === STEP; armed += step) {
      step = (await sql.unsafe(arm(condition), [STEP])).count;
    }
  }
  return armed;
}

/** A customer's link, or a payment's: their ids never meet. */
const LINK_IS_THERE = `waits_kind = 'link' and (exists (
  select from customer_links link
  where link.source_id = waiting.source_id and link.account = waiting.account and link.customer = waiting.waits_key)
  or exists (select from payment_links link
  where link.source_id = waiting.source_id and link.account = waiting.account and link.payment = waiting.waits_key))`;

const GRANT_IS_THERE = `waits_kind = 'event' and exists (
  select from credit_entries entry where (entry.source_id, entry.account, entry.subject, entry.operation)
    = (waiting.source_id, waiting.account, waiting.waits_key, 'initial-credit-grant'))`;

const ACCOUNT_IS_THERE = `waits_kind = 'account' and exists (
  select from source_accounts known where known.source_id = waiting.source_id and known.account = waiting.waits_key)`;

const arm = (condition: string) => `
with met as materialized (
  select id from inbox_events waiting where status = 'waiting' and ${condition} limit $1 for update skip locked
)
update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now(),
  round_attempts = 0, round_started_at = null, why = 'what it waited for is there'
where id = any (array(select id from met))`;
