import type { Tx } from "#db/client.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";

/**
 * Arms the events that wait for a customer's link, in the transaction that made it. Returns how many. Those that
 * begin to wait meanwhile are found by the sweep (sweep.ts).
 */
export async function releaseByLink(
  tx: Tx,
  link: { sourceId: string; account: string; customer: string },
): Promise<number> {
  const { count } = await tx`
    update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now(),
      round_attempts = 0, round_started_at = null, why = 'its customer was linked to a workspace'
    where status = 'waiting' and waits_kind = 'link' and source_id = ${link.sourceId} and account = ${link.account}
      and waits_key = ${link.customer}`;
  if (count > 0) await hintWorkers(tx);
  return count;
}

/** The same for events that wait to be told which invoice a payment paid. */
export async function releaseByPayment(
  tx: Tx,
  link: { sourceId: string; account: string; payment: string },
): Promise<number> {
  const { count } = await tx`
    update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now(),
      round_attempts = 0, round_started_at = null, why = 'its payment was linked to an invoice'
    where status = 'waiting' and waits_kind = 'link' and source_id = ${link.sourceId} and account = ${link.account}
      and waits_key = ${link.payment}`;
  if (count > 0) await hintWorkers(tx);
  return count;
}

/** The same for events of accounts that were not configured. */
export async function releaseByAccounts(
  tx: Tx,
  sourceId: string,
  accounts: readonly string[],
): Promise<number> {
  if (accounts.length === 0) return 0;
  const { count } = await tx`
    update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now(),
      round_attempts = 0, round_started_at = null, why = 'its account was configured'
    where status = 'waiting' and waits_kind = 'account' and source_id = ${sourceId}
      and waits_key = any(${accounts as string[]}::text[])`;
  if (count > 0) await hintWorkers(tx);
  return count;
}

/** Delivered at the commit; only a hint, for workers poll as well. */
async function hintWorkers(tx: Tx): Promise<void> {
  await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
}
