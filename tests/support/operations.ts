import type { Sql } from "#db/client.ts";
import { getOperation, type OperationView } from "#lib/api/reads/operations.ts";
import { type FreezeRequest, freezeOperation } from "#lib/operations/freeze.ts";
import { startOperation } from "#lib/operations/start.ts";
import { tester, unwrap } from "./outcomes.ts";

export const ask = (action: string, filter: Record<string, unknown>): FreezeRequest => ({
  action,
  filter,
  reason: "a test",
});

/** Freezes and starts an operation, without the seconds in which it could be undone. Returns its id. */
export async function begin(sql: Sql, request: FreezeRequest): Promise<string> {
  const { token, operation } = unwrap(await freezeOperation(sql, tester, request));
  unwrap(await startOperation(sql, tester, { ...request, token }));
  await sql`update operations set starts_at = now() where id = ${operation}`;
  return operation;
}

export async function look(sql: Sql, operation: string): Promise<OperationView> {
  return (await getOperation(sql, operation))!;
}
