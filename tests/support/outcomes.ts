import type { Sql } from "#db/client.ts";
import { type Actor, SCOPES } from "#lib/access/actor.ts";
import { type CustomerLink, putCustomerLink } from "#lib/admin/put-customer-link.ts";
import type { Outcome } from "#lib/outcome.ts";

export const tester: Actor = { name: "tester", scopes: SCOPES };

/** The value of an outcome that a test expects to be a success. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.problem.message);
  return outcome.value;
}

export const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? "ok" : outcome.problem.code);

/** Links the customer that createProduct leaves unlinked, or another one. */
export function linkCustomer(sql: Sql, overrides: Partial<CustomerLink> = {}) {
  const link = { source: "stripe", account: "acct_acme", customer: "cus_acme", workspace: "ws_acme" };
  return putCustomerLink(sql, tester, { ...link, ...overrides });
}

/** The actions of the audit log, oldest first. */
export async function listAudited(sql: Sql): Promise<string[]> {
  const rows = await sql`select action from audit_entries order by id`;
  return rows.map(({ action }) => action);
}

export async function readStatus(sql: Sql, event: string): Promise<string | undefined> {
  const [row] = await sql`select status from inbox_events where id = ${event}`;
  return row?.status;
}
