import type { Channel, Target } from "#lib/channels/types.ts";
import { BUILT_IN_EMAIL, type LeasedMessage } from "./message.ts";
import type { Ruling } from "./rule.ts";
import { targetFrom } from "./target.ts";
import type { Result } from "./write-results.ts";

/** A message that can be handed to its channel. */
export type ReadyMessage = { message: LeasedMessage; channel: Channel; target: Target };

export const isReady = (prepared: ReadyMessage | Result): prepared is ReadyMessage => "target" in prepared;

/**
 * Makes a claimed message ready for its call, or says what it comes to without one: a rendering that failed at the
 * intent, a secret that no key opens, an earlier attempt that may have arrived and must not be repeated. Pure.
 */
export function prepareMessage(
  message: LeasedMessage,
  channel: Channel,
  keys: readonly Buffer[],
): ReadyMessage | Result {
  const unrendered = (message.content as { unrendered?: unknown } | null)?.unrendered;
  if (typeof unrendered === "string") {
    return without(message, {
      result: "rejected",
      next: "rejected",
      lane: "silent",
      why: `It could not be written down for ${channel.label}: ${unrendered}`,
    });
  }
  const held = holdBack(message, channel);
  if (held) return without(message, { result: "unknown", next: "unknown", lane: "silent", why: held });
  const target = targetOf(message, keys);
  if (!target) {
    const why = "The destination's secret cannot be opened with the present SECRET_KEY.";
    return without(message, { result: "down", next: "pending", lane: "down", why });
  }
  return { message, channel, target };
}

/** Why a message that may have arrived must not be sent again by itself; null when it may. */
function holdBack(
  { ambiguous, policy, firstCallAt, claimedAt }: LeasedMessage,
  channel: Channel,
): string | null {
  if (!ambiguous) return null;
  switch (policy) {
    case "duplicate-ok":
      return null;
    case "reconcile":
      return channel.reconcile
        ? null
        : `An attempt may have arrived, and ${channel.label} keeps no records to ask.`;
    case "review":
      return "An attempt may have arrived, and the destination's policy is that a person decides.";
    case "idempotent": {
      const age = (Date.parse(claimedAt) - Date.parse(firstCallAt ?? claimedAt)) / 1000;
      const isRemembered = channel.keyLifetimeSeconds !== null && age < channel.keyLifetimeSeconds;
      return isRemembered
        ? null
        : "An attempt may have arrived, and its key is no longer remembered for sure.";
    }
    default:
      return policy satisfies never;
  }
}

function targetOf(message: LeasedMessage, keys: readonly Buffer[]): Target | null {
  if (message.destinationId === BUILT_IN_EMAIL) return { url: null, to: message.destination, secret: null };
  return targetFrom(message, keys);
}

/** A result of which no call is part. */
function without(message: LeasedMessage, ruling: Pick<Ruling, "result" | "next" | "lane" | "why">): Result {
  return {
    message,
    kind: "check",
    ruling: { ...ruling, delay: 60, asked: 0, counts: false, ambiguous: message.ambiguous, keySeconds: null },
    startedAt: null,
    evidence: null,
    more: { bytesLeft: false },
  };
}
