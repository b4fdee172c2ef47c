import { z } from "zod";
import type { ReturnState } from "#db/states.ts";
import type { MoneyBack, ToldReturn } from "./money-back.ts";
import { amount, currency, id, readShape, reference } from "./shapes.ts";
import type { EffectEvent, Reading } from "./types.ts";

const REFUND_STATES: Record<string, ReturnState> = {
  pending: "given",
  requires_action: "given",
  succeeded: "given",
  failed: "failed",
  canceled: "failed",
};

const DISPUTE_STATES: Record<string, ReturnState> = {
  warning_needs_response: "inquiry",
  warning_under_review: "inquiry",
  warning_closed: "inquiry",
  prevented: "inquiry",
  needs_response: "open",
  under_review: "open",
  charge_refunded: "lost",
  lost: "lost",
  won: "won",
};

/** A charge by its id, or the object it was expanded to; until 2025 that named its invoice. */
const chargeReference = z.union([
  id.transform((text) => ({ id: text, invoice: null, payment_intent: null })),
  z.object({ id, invoice: reference.nullish(), payment_intent: reference.nullish() }),
]);

const refund = z.object({
  object: z.literal("refund"),
  id,
  amount,
  currency,
  charge: chargeReference.nullish(),
  payment_intent: reference.nullish(),
  /** Early versions had none: every refund they told of had succeeded. */
  status: z
    .enum(Object.keys(REFUND_STATES) as [string, ...string[]])
    .nullish()
    .transform((status) => REFUND_STATES[status ?? "succeeded"]!),
});

const dispute = z.object({
  object: z.literal("dispute"),
  id,
  amount,
  currency,
  charge: chargeReference.nullish(),
  payment_intent: reference.nullish(),
  status: z.enum(Object.keys(DISPUTE_STATES) as [string, ...string[]]),
});

const charge = z.object({
  object: z.literal("charge"),
  id,
  amount_refunded: amount,
  currency,
  payment_intent: reference.nullish(),
  invoice: reference.nullish(),
  /** Not in events since 2022. */
  refunds: z.object({ data: z.array(refund) }).nullish(),
});

const returned = z.object({
  data: z.object({ object: z.discriminatedUnion("object", [charge, refund, dispute]) }),
});

/** Refunds, running totals and disputes, from every API version. */
export function readStripeMoneyBack(event: EffectEvent): Reading<MoneyBack> {
  const reading = readShape(returned, event.payload, "object");
  if (!reading.ok) return reading;
  const { object } = reading.input.data;
  if (object.object === "charge") return fromCharge(object);
  const payment = object.payment_intent ?? object.charge?.payment_intent ?? null;
  const payments = [payment, object.charge?.id ?? null].filter((name) => name !== null);
  if (payments.length === 0) return { ok: false, why: "the object names neither a charge nor a payment" };
  const told = object.object === "refund" ? refundOf(object) : disputeOf(event.type, object);
  return {
    ok: true,
    input: {
      invoice: object.charge?.invoice ?? null,
      payments,
      currency: object.currency,
      returns: [told],
      links: [],
    },
  };
}

function fromCharge(object: z.infer<typeof charge>): Reading<MoneyBack> {
  const payments = [object.payment_intent ?? null, object.id].filter((name) => name !== null);
  const invoice = object.invoice ?? null;
  const total: ToldReturn = {
    kind: "total",
    reference: payments[0]!,
    amount: object.amount_refunded,
    state: "given",
    cause: "refund",
  };
  return {
    ok: true,
    input: {
      invoice,
      payments,
      currency: object.currency,
      // Those with an id first: the total then finds its money counted already.
      returns: [...(object.refunds?.data ?? []).map(refundOf), total],
      links: invoice ? payments.map((payment) => ({ payment, invoice })) : [],
    },
  };
}

function refundOf({ id, amount, status }: z.infer<typeof refund>): ToldReturn {
  const cause = status === "failed" ? "refund failed" : "refund";
  return { kind: "refund", reference: id, amount, state: status, cause };
}

/** The events about funds say more than the status at their moment. */
function disputeOf(type: string, { id, amount, status }: z.infer<typeof dispute>): ToldReturn {
  const state = disputeState(type, DISPUTE_STATES[status]!);
  const cause = state === "won" ? "dispute won" : state === "lost" ? "dispute lost" : "dispute";
  return { kind: "dispute", reference: id, amount, state, cause };
}

function disputeState(type: string, state: ReturnState): ReturnState {
  if (type === "charge.dispute.funds_reinstated") return "won";
  if (type === "charge.dispute.funds_withdrawn" && state === "inquiry") return "open";
  return state;
}
