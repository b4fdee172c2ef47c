import type { Sql, Tx } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { InboxStatus } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { Undo } from "#lib/admin/undo.ts";
import { failpoint } from "#lib/failpoint.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { LANES } from "./lanes.ts";
import { retryTakenKeys } from "./release-confirmed.ts";
import { lockResolvable, type Resolvable, refuseBusy, refuseState, stateOf } from "./resolvable.ts";
import { acceptConflict, dismissConflict } from "./resolve-conflict.ts";
import { acceptLocked, dismissLocked, retryLocked } from "./resolve-event.ts";

export const DECISIONS = ["retry", "dismiss", "accept_content"] as const;
export type Decision = (typeof DECISIONS)[number];

export type ResolveRequest = {
  id: string;
  decision: Decision;
  /** The open conflict that it is about; else it is about the event. */
  conflictId?: string;
  reason: string;
  /** What the person had before the eyes: refused when the event is no longer there. */
  expect?: { status: InboxStatus; attempts: number };
  /** The bulk operation that it is part of. */
  operation?: string;
};

export type Resolved = { event: string; status: InboxStatus; why: string | null };

/**
 * Closes what a person must close (CONTRACT §5), in one transaction with its audit entry. What was closed, changed or
 * is being worked on meanwhile is a refusal that names the present state; nothing was changed then.
 */
export async function resolveEvent(
  sql: Sql,
  actor: Actor,
  request: ResolveRequest,
): Promise<Outcome<Resolved>> {
  return await Undo.catch(() =>
    retryTakenKeys(() => repeatOnConflict(() => sql.begin((tx) => resolveIn(tx, actor, request)))),
  );
}

/** The same inside the caller's transaction. A refusal changes nothing there; a surprise throws. */
export async function resolveIn(tx: Tx, actor: Actor, request: ResolveRequest): Promise<Outcome<Resolved>> {
  const { id, decision, conflictId } = request;
  if (conflictId && decision === "dismiss") return await closeConflict(tx, actor, request);
  if (conflictId && decision === "retry")
    return refuse("unacceptable", "A retry is about the event, not about one of its conflicts.");
  const locked = await lockResolvable(tx, id);
  if (locked.is === "missing") return refuse("not_found", "There is no such event.");
  if (locked.is === "busy") return refuseBusy();
  const { event } = locked;
  const stale = checkExpected(event, request.expect);
  if (stale) return stale;
  const outcome = await decide(tx, actor, event, request);
  if (!outcome.ok) return outcome;
  return succeed(await finish(tx, actor, event, request));
}

function checkExpected(event: Resolvable, expect: ResolveRequest["expect"]) {
  if (!expect || (expect.status === event.status && expect.attempts === event.attempts)) return null;
  return refuseState(event, "it changed since it was looked at. Look at it again.");
}

function decide(tx: Tx, actor: Actor, event: Resolvable, request: ResolveRequest): Promise<Outcome<null>> {
  const { decision, conflictId, reason, operation } = request;
  switch (decision) {
    case "retry":
      return retryLocked(
        tx,
        event,
        `armed again by ${actor.name}: ${reason}`,
        operation ? LANES.BULK : LANES.LIVE,
      );
    case "dismiss":
      return dismissLocked(tx, event, `dismissed by ${actor.name}: ${reason}`);
    case "accept_content":
      if (!conflictId) return acceptLocked(tx, event, `accepted by ${actor.name}: ${reason}`);
      return acceptConflict(
        tx,
        event,
        { event: event.id, conflict: conflictId },
        { name: actor.name, reason },
      );
    default:
      return decision satisfies never;
  }
}

async function finish(
  tx: Tx,
  actor: Actor,
  before: Resolvable,
  { decision, conflictId, reason, operation }: ResolveRequest,
): Promise<Resolved> {
  const [after] = await tx<Resolvable[]>`
    select id, status, outcome, failure_class as "failureClass", waits_kind as "waitsKind", attempts, why,
      ${tx.unsafe(DURABLE)}
    from inbox_events where id = ${before.id}`;
  await writeAudit(tx, actor, {
    action: `inbox.${decision.replace("_", "-")}`,
    target: `inbox:${before.id}`,
    reason,
    before: stateOf(before),
    after: {
      ...stateOf(after!),
      ...(conflictId && { conflict: conflictId }),
      ...(operation && { operation }),
    },
  });
  if (after!.status === "pending") await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
  failpoint("resolve.before-commit");
  return { event: before.id, status: after!.status, why: after!.why };
}

/** About a conflict alone: a worker that is at the event is not waited for. */
async function closeConflict(
  tx: Tx,
  actor: Actor,
  { id, conflictId, reason }: ResolveRequest,
): Promise<Outcome<Resolved>> {
  const outcome = await dismissConflict(
    tx,
    { event: id, conflict: conflictId! },
    { name: actor.name, reason },
  );
  if (!outcome.ok) return outcome;
  const target = `inbox:${id}`;
  const after = { conflict: conflictId, resolution: "dismissed" };
  await writeAudit(tx, actor, { action: "inbox.dismiss-conflict", target, reason, before: null, after });
  const [event] = await tx<Resolved[]>`
    select id as event, status, why, ${tx.unsafe(DURABLE)} from inbox_events where id = ${id}`;
  return succeed(event!);
}
