import type { SourceKind } from "#db/states.ts";
import { stripeInvoice } from "./stripe-events.ts";
import {
  stripeCharge,
  stripeDispute,
  stripeEventOf,
  stripeInvoicePayment,
  stripeRefund,
  stripeSubscription,
} from "./stripe-money.ts";

type Json = Record<string, unknown>;
export type Sample = { kind: SourceKind; type: string; payload: Json; contract?: object; subject?: string };

const invoice = (overrides: Json = {}) => stripeInvoice({ id: "in_1", ...overrides });

/** Objects of a Stripe type, in every shape that a version of its API gave it. */
const STRIPE: Record<string, Json[]> = {
  "invoice.paid": [
    invoice(),
    invoice({ parent: undefined, subscription: "sub_1", charge: "ch_1", payment_intent: "pi_1" }),
    invoice({
      charge: { id: "ch_1", object: "charge" },
      payment_intent: { id: "pi_1", object: "payment_intent" },
    }),
    invoice({ payments: { data: [{ payment: { type: "payment_intent", payment_intent: "pi_1" } }] } }),
    invoice({ status: undefined, paid: true, billing_reason: null, customer: { id: "cus_acme" } }),
  ],
  "invoice.payment_succeeded": [invoice()],
  "invoice_payment.paid": [
    stripeInvoicePayment(),
    stripeInvoicePayment({ invoice: invoice(), payment: { type: "charge", charge: "ch_1" } }),
    stripeInvoicePayment({ payment: { type: "payment_record", payment_record: "pr_1" } }),
  ],
  "charge.refunded": [
    stripeCharge({ amount_refunded: 500 }),
    stripeCharge({ amount_refunded: 500, payment_intent: null, invoice: "in_1" }),
    stripeCharge({ amount_refunded: 1000, invoice: "in_1", refunds: { data: [stripeRefund()] } }),
  ],
  "charge.refund.updated": [stripeRefund({ status: "canceled" })],
  "refund.created": [stripeRefund(), stripeRefund({ payment_intent: null }), stripeRefund({ status: null })],
  "refund.updated": [stripeRefund({ charge: { id: "ch_1", object: "charge", invoice: "in_1" } })],
  "refund.failed": [stripeRefund({ status: "failed" })],
  "charge.dispute.created": [stripeDispute(), stripeDispute({ payment_intent: null })],
  "charge.dispute.updated": [stripeDispute({ status: "under_review" })],
  "charge.dispute.closed": [stripeDispute({ status: "won" }), stripeDispute({ status: "lost" })],
  "charge.dispute.funds_withdrawn": [stripeDispute({ status: "warning_needs_response" })],
  "charge.dispute.funds_reinstated": [stripeDispute({ status: "won" })],
  "customer.subscription.created": [stripeSubscription({ status: "incomplete" })],
  "customer.subscription.updated": [
    stripeSubscription(),
    stripeSubscription({ customer: { id: "cus_acme" } }),
  ],
  "customer.subscription.deleted": [stripeSubscription({ status: "canceled" })],
  "customer.subscription.paused": [stripeSubscription({ status: "paused" })],
  "customer.subscription.resumed": [stripeSubscription()],
};

const transaction: Json = {
  transactionId: "tx_1",
  merchantId: "acct_1",
  customerId: "cus_acme",
  amount: 1000,
  currency: "EUR",
};

/** Bodies of a payments type; members may also be inside `data`. */
const PAYMENTS: Record<string, Json[]> = {
  TRANSACTION_SUCCEEDED: [transaction, { data: transaction }, { ...transaction, amount: "1000", version: 4 }],
  CHECKOUT_SESSION_PAID: [{ ...transaction, checkoutSessionId: "cs_1" }],
  TRANSACTION_REFUNDED: [
    { ...transaction, refundId: "r_1", amount: 400 },
    { ...transaction, amountRefunded: 1000 },
    { data: { ...transaction, refund: { id: "r_1" }, refundAmount: 400 } },
  ],
  TRANSACTION_PARTIALLY_REFUNDED: [{ ...transaction, amountRefunded: 100 }],
  TRANSACTION_REFUND_FAILED: [{ ...transaction, refundId: "r_1", refundAmount: 400 }],
  TRANSACTION_CREATED: [transaction],
  TRANSACTION_PENDING: [transaction],
  TRANSACTION_AUTHORISED: [transaction],
  TRANSACTION_AUTHORIZED: [transaction],
  TRANSACTION_CAPTURED: [transaction],
  TRANSACTION_FAILED: [transaction],
  TRANSACTION_CANCELLED: [transaction],
  TRANSACTION_EXPIRED: [transaction],
};

/** A contract whose catalogue names an effect that takes types by contract. */
export const FEEDBACK_CONTRACT = {
  types: {
    "feedback.created": { effect: "feedback-alert" },
    "feedback.escalated": { effect: "feedback-alert", role: "escalation" },
    "feedback.seen": { effect: "feedback-alert", role: "link" },
  },
  feedback: { category: "category", text: ["text", "message"], level: "level" },
};

const feedback = (kind: SourceKind): Sample[] =>
  Object.keys(FEEDBACK_CONTRACT.types).map((type) => ({
    kind,
    type,
    payload: { text: "It broke", category: "bug", level: "high" },
    contract: FEEDBACK_CONTRACT,
    subject: "fb_1",
  }));

/** At least one event of every type that an effect takes, with the payload of its sender. */
export const SAMPLES: readonly Sample[] = [
  ...Object.entries(STRIPE).flatMap(([type, objects]) =>
    objects.map((object) => ({ kind: "stripe" as const, type, payload: stripeEventOf(type, object) })),
  ),
  ...Object.entries(PAYMENTS).flatMap(([type, bodies]) =>
    bodies.map((body, at) => ({
      kind: "payments" as const,
      type,
      payload: { eventId: `${type}-${at}`, type, ...body },
    })),
  ),
  ...feedback("sinalio"),
  ...feedback("hmac"),
  { kind: "manual", type: "credit.correction", payload: { workspace: "ws_1", amount: -5, reason: "typo" } },
  { kind: "manual", type: "credit.correction", payload: { workspace: "ws_1", amount: "5", reason: "gift" } },
];
