import { createHash } from "node:crypto";
import { expect, type Page } from "@playwright/test";
import type postgres from "postgres";
import { v7 as uuidv7 } from "uuid";

/** Other content under an event's id, open. Returns the event. */
export async function insertConflict(sql: postgres.Sql, event: string, body?: string): Promise<string> {
  const content = body ?? JSON.stringify({ id: "evt_other", type: "invoice.paid", amount: 4990 });
  await sql`
    insert into inbox_conflicts (id, inbox_event_id, content_digest, body, headers, why)
    values (${uuidv7()}, ${event}, ${createHash("sha256").update(content).digest()}, ${Buffer.from(content)}, '{}',
      'the same event id came with other content') on conflict do nothing`;
  return event;
}

const VERDICTS = [
  ["skipped", "it was failed when this was confirmed, and is dismissed"],
  ["blocked", "customer cus_QXg1 is not linked to a workspace"],
  ["already_applied", "this receipt made the grant itself"],
  ["failed", "40P01: deadlock detected"],
] as const;

/** One that has ended, with rows that went well and rows that did not. */
export async function insertOperation(sql: postgres.Sql, events: string[]): Promise<string> {
  const id = uuidv7();
  await sql`
    insert into operations (id, action, actor, reason, status, filter, item_count, created_at, starts_at, started_at,
      finished_at)
    values (${id}, 'replay', 'console', 'the link was missing until today', 'done',
      ${sql.json({ source: "payments-test", type: "invoice.*", since: "2026-03-03T10:00:00Z" })}, ${events.length},
      now() - interval '2 minutes', now() - interval '2 minutes', now() - interval '2 minutes', now())`;
  for (const [at, event] of events.entries()) {
    const [verdict, why] = VERDICTS[at % VERDICTS.length]!;
    await sql`
      insert into operation_items (operation_id, ordinal, inbox_event_id, was, was_attempts, verdict, why, finished_at)
      values (${id}, ${at + 1}, ${event}, 'failed', 1, ${verdict}, ${why}, now())`;
  }
  return id;
}

/** Fills the one field of a dialog that asks why, and presses its button. */
export async function giveReason(page: Page, reason: string, confirm: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Reason/).fill(reason);
  await dialog.getByRole("button", { name: confirm, exact: true }).click();
}

export async function statusOf(sql: postgres.Sql, event: string): Promise<string> {
  const [row] = await sql<{ status: string }[]>`select status from inbox_events where id = ${event}`;
  return row!.status;
}

export async function expectStatus(sql: postgres.Sql, event: string, status: string): Promise<void> {
  await expect.poll(() => statusOf(sql, event), { timeout: 20_000 }).toBe(status);
}
