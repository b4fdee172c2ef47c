import { stripeEvent } from "./stripe-events.ts";

/** Charges, refunds, disputes and subscriptions with the shapes of Stripe's published examples. */

type Json = Record<string, unknown>;

export const stripeCharge = (overrides: Json = {}): Json => ({
  id: "ch_1",
  object: "charge",
  amount: 1000,
  amount_captured: 1000,
  amount_refunded: 0,
  balance_transaction: "txn_1",
  captured: true,
  created: 1_764_500_010,
  currency: "usd",
  customer: "cus_acme",
  disputed: false,
  livemode: true,
  metadata: {},
  paid: true,
  payment_intent: "pi_1",
  refunded: false,
  status: "succeeded",
  ...overrides,
});

export const stripeRefund = (overrides: Json = {}): Json => ({
  id: "re_1",
  object: "refund",
  amount: 1000,
  balance_transaction: "txn_2",
  charge: "ch_1",
  created: 1_764_500_020,
  currency: "usd",
  metadata: {},
  payment_intent: "pi_1",
  reason: null,
  receipt_number: null,
  status: "succeeded",
  ...overrides,
});

export const stripeDispute = (overrides: Json = {}): Json => ({
  id: "dp_1",
  object: "dispute",
  amount: 1000,
  balance_transactions: [],
  charge: "ch_1",
  created: 1_764_500_030,
  currency: "usd",
  is_charge_refundable: true,
  livemode: true,
  metadata: {},
  payment_intent: "pi_1",
  reason: "general",
  status: "needs_response",
  ...overrides,
});

export const stripeInvoicePayment = (overrides: Json = {}): Json => ({
  id: "inpay_1",
  object: "invoice_payment",
  amount_paid: 1000,
  amount_requested: 1000,
  created: 1_764_500_005,
  currency: "usd",
  invoice: "in_1",
  is_default: true,
  livemode: true,
  payment: { type: "payment_intent", payment_intent: "pi_1" },
  status: "paid",
  status_transitions: { canceled_at: null, paid_at: 1_764_500_005 },
  ...overrides,
});

export const stripeSubscription = (overrides: Json = {}): Json => ({
  id: "sub_1",
  object: "subscription",
  cancel_at_period_end: false,
  collection_method: "charge_automatically",
  created: 1_764_400_000,
  currency: "usd",
  customer: "cus_acme",
  ended_at: null,
  items: { object: "list", data: [], has_more: false },
  livemode: true,
  metadata: {},
  status: "active",
  ...overrides,
});

/** An event of `type` about `object`. */
export const stripeEventOf = (type: string, object: Json, overrides: Json = {}): Json =>
  stripeEvent({ type, ...overrides }, object);
