import type { Sql, Tx } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import type { OperationStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { isSameJson, writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { digestToken, type FreezeRequest } from "./freeze.ts";

export type StartRequest = FreezeRequest & {
  token: string;
  /** What was confirmed: refused when it is another number. */
  count?: number;
};

export type Started = { operation: string; count: number; startsAt: string };

/** Seconds in which it can be undone as a whole. */
export const UNDO_SECONDS = 5;

type Row = {
  id: string;
  status: OperationStatus;
  actor: string;
  action: string;
  reason: string;
  filter: unknown;
  count: number;
  startsAt: string | null;
  expired: boolean;
};

/**
 * Starts a frozen operation, once: its token again gives the same answer. It must be asked for by whoever froze it, with
 * the same words.
 */
export async function startOperation(
  sql: Sql,
  actor: Actor,
  request: StartRequest,
): Promise<Outcome<Started>> {
  return (await sql.begin(async (tx) => {
    const row = await lockByToken(tx, request.token);
    const refusal = checkRequest(row, actor, request);
    if (refusal) return refusal;
    const { id, status, count } = row!;
    if (status !== "frozen") return succeed({ operation: id, count, startsAt: row!.startsAt! });
    const [started] = await tx<{ startsAt: string }[]>`
      update operations set status = 'running', starts_at = now() + make_interval(secs => ${UNDO_SECONDS})
      where id = ${id} and status = 'frozen' returning starts_at as "startsAt", ${tx.unsafe(DURABLE)}`;
    await writeAudit(tx, actor, {
      action: "operation.start",
      target: `operation:${id}`,
      reason: row!.reason,
      before: null,
      after: { action: row!.action, filter: row!.filter, count },
    });
    return succeed({ operation: id, count, startsAt: started!.startsAt });
  })) as Outcome<Started>;
}

async function lockByToken(tx: Tx, token: string): Promise<Row | undefined> {
  const [row] = await tx<Row[]>`
    select id, status, actor, action, reason, filter, item_count as count, starts_at as "startsAt",
      token_expires_at < now() as expired
    from operations where token_digest = ${digestToken(token)} for no key update`;
  return row;
}

function checkRequest(row: Row | undefined, actor: Actor, request: StartRequest) {
  // A token of somebody else's is told apart from none at all by nobody.
  if (!row || row.actor !== actor.name || (row.status === "frozen" && row.expired))
    return refuse("conflict", "The token has expired, or was not given to you. Make a dry run again.");
  const { action, filter, reason, count } = request;
  if (row.action !== action || row.reason !== reason || !isSameJson(row.filter, filter))
    return refuse("conflict", "Action, filter and reason must be those of the dry run.");
  if (count !== undefined && count !== row.count)
    return refuse("conflict", `The dry run found ${row.count}, not ${count}.`);
  if (row.status === "cancelled") return refuse("conflict", "It was cancelled.", "cancelled");
  return null;
}
