import { z } from "zod";
import { decideByState } from "./projection-state.ts";
import { amount, id, readShape, reference } from "./shapes.ts";
import type { Decision, Effect } from "./types.ts";

type Subscription = { subscription: string; customer: string; status: string; createdAt: bigint };

/** From before the first payment, over every state of a living subscription, to the two that stay. */
const RANKS: Record<string, number> = {
  incomplete: 0,
  trialing: 1,
  active: 1,
  past_due: 1,
  unpaid: 1,
  paused: 1,
  incomplete_expired: 2,
  canceled: 2,
};

/** A status that is new to us is a living one: it neither ends a subscription nor undoes an end. */
export const subscriptionRank = (status: string): number => RANKS[status] ?? 1;

const shape = z.object({
  created: amount,
  data: z.object({
    object: z.object({ object: z.literal("subscription"), id, customer: reference, status: id }),
  }),
});

/**
 * The state of a Stripe subscription. Stripe has no version, and neither the order of arrival nor the times of events
 * say what is true now: where the source has credentials, an event only marks the subscription, and the refresher
 * fetches it. Without, the event's own state is kept by a rule that never goes back, and said to come from an event.
 */
export const subscriptionState: Effect<Subscription> = {
  name: "subscription-state",
  takes: {
    stripe: [
      "customer.subscription.created",
      "customer.subscription.updated",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
    ],
  },
  read(event) {
    const reading = readShape(shape, event.payload, "subscription");
    if (!reading.ok) return reading;
    const { created, data } = reading.input;
    const { id: subscription, customer, status } = data.object;
    // Early versions told of a deletion with the state before it.
    const ended = event.type === "customer.subscription.deleted" && subscriptionRank(status) < 2;
    const input = { subscription, customer, status: ended ? "canceled" : status, createdAt: created };
    return { ok: true, input };
  },
  lockKeys: (event, { subscription }) => [
    JSON.stringify([event.sourceId, event.account, "subscription", subscription]),
  ],
  needs: (event, { subscription }) => [
    {
      kind: "projection",
      sourceId: event.sourceId,
      account: event.account,
      projection: "subscription",
      id: subscription,
    },
  ],
  decide(event, { subscription, customer, status, createdAt }, facts): Decision {
    const { sourceId, account } = event;
    const known = facts.projection({ sourceId, account, projection: "subscription", id: subscription });
    const subject = { kind: "subscription" as const, id: subscription, customer };
    if (known.fetched) {
      const why = `${subscription} is marked, and its state will be fetched`;
      return {
        kind: "applied",
        why,
        changes: { projections: [{ ...subject, mark: true, state: null }] },
        subject: subscription,
      };
    }
    const carried = {
      status,
      rank: subscriptionRank(status),
      version: null,
      statedAt: createdAt,
      amount: null,
      currency: null,
    };
    return decideByState(subject, carried, known, subscriptionRank);
  },
};
