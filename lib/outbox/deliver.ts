import type { Call, OutgoingMessage, ReconcileAnswer, SendOutcome } from "#lib/channels/types.ts";
import type { Dispatching } from "./dispatch.ts";
import type { ReadyMessage } from "./prepare.ts";
import { type Ruling, ruleOn } from "./rule.ts";
import type { Result } from "./write-results.ts";

/**
 * Makes one call, outside of any transaction, and says what it comes to. Where the policy is to ask the destination's
 * records, it asks: before the call when an earlier attempt may have arrived, after it when this one may have.
 */
export async function deliver(
  { outbound, env }: Pick<Dispatching, "outbound" | "env">,
  ready: ReadyMessage,
  startedAt: string,
  stop: AbortSignal,
): Promise<Result> {
  const { message, channel, target } = ready;
  const outgoing: OutgoingMessage = {
    id: message.id,
    content: message.content,
    createdAt: new Date(message.createdAt),
    now: new Date(startedAt),
    attempt: message.attempts + 1,
  };
  const call = (): Call => ({
    signal: AbortSignal.any([AbortSignal.timeout(channel.timeoutSeconds * 1_000), stop]),
    outbound,
    env,
    policy: message.policy,
  });
  const ask = async (): Promise<ReconcileAnswer | null> =>
    message.policy === "reconcile" && channel.reconcile
      ? await channel.reconcile(outgoing, target, call()).catch(cannotTell)
      : null;

  let isAmbiguous = message.ambiguous;
  const before = isAmbiguous ? await ask() : null;
  if (before && before.kind !== "absent") return asked(ready, startedAt, before);
  if (before) isAmbiguous = false;

  const outcome = await channel.send(outgoing, target, call()).catch(surprise);
  const held = { ...message, ambiguous: isAmbiguous };
  const ruling = ruleOn(held, outcome, channel.keyLifetimeSeconds, Math.random());
  const after = outcome.kind === "unknown" ? await ask() : null;
  return {
    message,
    kind: "call",
    ruling: outcome.kind === "unknown" && message.policy === "reconcile" ? reconciled(ruling, after) : ruling,
    startedAt,
    evidence: outcome,
    more: {
      attempt: outgoing.attempt,
      ...("code" in outcome && { code: outcome.code }),
      ...(before && { askedBefore: before.kind, answerBefore: before.why }),
      ...(after && { asked: after.kind, answer: after.why }),
    },
  };
}

/** A channel promises not to throw; one that does has told nothing about what left. */
function surprise(error: unknown): SendOutcome {
  const why = `The channel failed: ${error instanceof Error ? error.name : "no error"}.`;
  return {
    kind: "unknown",
    code: "reset",
    why,
    bytesLeft: true,
    status: null,
    responseBody: null,
    latencyMs: 0,
  };
}

const cannotTell = (): ReconcileAnswer => ({
  kind: "cannot_tell",
  why: "The destination could not be asked.",
});

/** The ruling on an unknown attempt, with what the destination's records say of it. */
function reconciled(ruling: Ruling, answer: ReconcileAnswer | null): Ruling {
  switch (answer?.kind) {
    case "arrived":
      return { ...ruling, result: "accepted", next: "sent", lane: "up", why: answer.why };
    case "absent":
      return {
        ...ruling,
        result: "retry",
        next: "pending",
        ambiguous: false,
        why: `${ruling.why} ${answer.why}`,
      };
    default:
      return { ...ruling, next: "unknown", why: answer ? `${ruling.why} ${answer.why}` : ruling.why };
  }
}

/** The destination was asked about an earlier attempt, and no call follows. */
function asked({ message }: ReadyMessage, startedAt: string, { kind, why }: ReconcileAnswer): Result {
  const arrived = kind === "arrived";
  return {
    message,
    kind: "check",
    ruling: {
      result: arrived ? "accepted" : "unknown",
      next: arrived ? "sent" : "unknown",
      lane: arrived ? "up" : "silent",
      why,
      delay: 0,
      asked: 0,
      counts: false,
      ambiguous: !arrived,
      keySeconds: null,
    },
    startedAt,
    evidence: null,
    more: { asked: kind },
  };
}
