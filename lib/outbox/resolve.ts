import type { Sql, Tx } from "#db/client.ts";
import { DURABLE } from "#db/durability.ts";
import type { OutboxStatus, SendResult } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { writeAudit } from "#lib/admin/audit.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";

export const SEND_DECISIONS = ["sent", "resend", "cancel"] as const;
export type SendDecision = (typeof SEND_DECISIONS)[number];

export type ResolveMessage = {
  id: string;
  decision: SendDecision;
  reason: string;
  /** What the person had before the eyes: refused when the message has moved on since. */
  expect?: { version: number };
  /** The bulk operation that it is part of. */
  operation?: string;
};

export type ResolvedMessage = { message: string; status: OutboxStatus; version: number };

/** From which states each decision leads on. What is being sent, or was sent, is nobody's to decide any more. */
const FROM: Record<SendDecision, readonly OutboxStatus[]> = {
  sent: ["unknown"],
  resend: ["unknown", "rejected", "abandoned"],
  cancel: ["unknown", "pending", "rejected", "abandoned"],
};

const RESULT: Record<SendDecision, SendResult> = { sent: "sent", resend: "resend", cancel: "cancelled" };

/**
 * A person decides what becomes of a message: it was sent, send it again, or never. Compare-and-set on its state, so
 * that of two people one is refused; audited, and part of the message's history. A resend keeps row and key; once the
 * window is over it is one attempt.
 */
export async function resolveMessage(
  sql: Sql,
  actor: Actor,
  request: ResolveMessage,
): Promise<Outcome<ResolvedMessage>> {
  return (await sql.begin((tx) => resolveMessageIn(tx, actor, request))) as Outcome<ResolvedMessage>;
}

/** The same inside the caller's transaction. A refusal changes nothing there; a surprise throws. */
export async function resolveMessageIn(
  tx: Tx,
  actor: Actor,
  { id, decision, reason, expect, operation }: ResolveMessage,
): Promise<Outcome<ResolvedMessage>> {
  return await change(tx, actor, {
    id,
    reason,
    version: expect?.version ?? null,
    from: FROM[decision],
    result: RESULT[decision],
    action: `outbox.${decision}`,
    operation,
    refusal: (status) => `It is ${status}: ${DECISION_WORDS[decision]} is not possible then.`,
  });
}

const DECISION_WORDS: Record<SendDecision, string> = {
  sent: "saying that it was sent",
  resend: "sending it again",
  cancel: "cancelling it",
};

export type RetryDelivery = { id: string; reason: string; operation?: string };

/**
 * Forces an attempt: of a message that was given up or refused, one; of one that waits for its next attempt, now. One
 * whose outcome is unknown needs a decision instead.
 */
export async function retryDelivery(
  sql: Sql,
  actor: Actor,
  request: RetryDelivery,
): Promise<Outcome<ResolvedMessage>> {
  return (await sql.begin((tx) => retryDeliveryIn(tx, actor, request))) as Outcome<ResolvedMessage>;
}

/** The same inside the caller's transaction. */
export async function retryDeliveryIn(
  tx: Tx,
  actor: Actor,
  request: RetryDelivery,
): Promise<Outcome<ResolvedMessage>> {
  return await change(tx, actor, {
    ...request,
    version: null,
    from: ["pending", "rejected", "abandoned"],
    result: "retried",
    action: "outbox.retry",
    refusal: (status) =>
      status === "unknown"
        ? "It may have arrived: decide first whether it was sent (resolve)."
        : `It is ${status}: there is nothing to retry.`,
  });
}

type Change = {
  id: string;
  reason: string;
  version: number | null;
  from: readonly OutboxStatus[];
  result: SendResult;
  action: string;
  operation?: string;
  refusal: (status: OutboxStatus) => string;
};

type Stored = {
  status: OutboxStatus;
  version: number;
  attempts: number;
  lastError: string | null;
  held: "paused" | "disabled" | null;
};

async function change(tx: Tx, actor: Actor, wanted: Change): Promise<Outcome<ResolvedMessage>> {
  const { id, version, from, result, reason } = wanted;
  const [before] = await tx<Stored[]>`
    select message.status, message.version, message.attempts, message.last_error as "lastError",
      nullif(destination.status, 'active') as held
    from outbox_messages message left join destinations destination on destination.id = message.destination_id
    where message.id = ${id} for update of message`;
  if (!before) return refuse("not_found", "There is no such message.");
  if (version !== null && version !== before.version) {
    return refuse("conflict", "It has changed since it was looked at. Look at it again.", before.status);
  }
  if (!from.includes(before.status)) return refuse("conflict", wanted.refusal(before.status), before.status);
  const sends = result === "resend" || result === "retried";
  if (sends && before.held) {
    return refuse("conflict", `Its destination is ${before.held}: nothing goes there now.`, before.status);
  }
  const status: OutboxStatus = sends ? "pending" : result === "sent" ? "sent" : "cancelled";
  const [after] = await tx<{ version: number }[]>`
    update outbox_messages
    set status = ${status}, version = version + 1,
      next_attempt_at = ${sends ? tx`now()` : null}, finished_at = ${sends ? null : tx`now()`},
      forced = ${sends} and (status <> 'pending' or deadline_at <= now()),
      -- Who sends it again takes it on that it may arrive twice.
      ambiguous = false, crashes = 0, lease_token = null
    where id = ${id} returning version, ${tx.unsafe(DURABLE)}`;
  await tx`
    insert into outbox_attempts (message_id, kind, result, actor, reason, started_at, finished_at)
    values (${id}, 'decision', ${result}, ${actor.name}, ${reason}, clock_timestamp(), clock_timestamp())`;
  await writeAudit(tx, actor, {
    action: wanted.action,
    target: `outbox:${id}`,
    reason,
    before: { status: before.status, attempts: before.attempts, lastError: before.lastError },
    after: { status, ...(wanted.operation && { operation: wanted.operation }) },
  });
  return succeed({ message: id, status, version: after!.version });
}
