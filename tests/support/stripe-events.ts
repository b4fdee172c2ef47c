import { randomBytes } from "node:crypto";
import Stripe from "stripe";

/** Objects with the shape of Stripe's published examples; only what a test is about is named by the test. */

const randomId = (prefix: string) =>
  `${prefix}_${randomBytes(12).toString("base64url").replace(/[-_]/g, "0")}`;

type Json = Record<string, unknown>;

export function stripeInvoice(overrides: Json = {}): Json {
  const id = (overrides.id as string) ?? randomId("in");
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Acme",
    amount_due: 1000,
    amount_paid: 1000,
    amount_remaining: 0,
    attempt_count: 1,
    attempted: true,
    billing_reason: "subscription_cycle",
    collection_method: "charge_automatically",
    created: 1_764_500_000,
    currency: "usd",
    customer: "cus_acme",
    customer_email: "billing@acme.example",
    hosted_invoice_url: `https://invoice.stripe.com/i/${id}`,
    lines: {
      object: "list",
      data: [
        {
          id: randomId("il"),
          object: "line_item",
          amount: 1000,
          currency: "usd",
          description: "1 × Team (at $10.00 / month)",
          livemode: true,
          metadata: {},
          pricing: { type: "price_details", price_details: { price: "price_team", product: "prod_team" } },
          quantity: 1,
        },
      ],
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: true,
    metadata: {},
    number: "A-0001",
    parent: {
      type: "subscription_details",
      subscription_details: { metadata: null, subscription: "sub_acme" },
    },
    status: "paid",
    status_transitions: {
      finalized_at: 1_764_500_000,
      marked_uncollectible_at: null,
      paid_at: 1_764_500_001,
      voided_at: null,
    },
    subtotal: 1000,
    total: 1000,
    ...overrides,
  };
}

export function stripeEvent(overrides: Json = {}, object: Json = stripeInvoice()): Json {
  return {
    id: randomId("evt"),
    object: "event",
    api_version: "2026-10-28",
    created: 1_764_500_002,
    data: { object },
    livemode: true,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: "invoice.paid",
    ...overrides,
  };
}

/** The Stripe-Signature header for a body, made by the official library. `at` is epoch seconds. */
export function signStripe(
  body: string | Buffer,
  secret: string,
  at = Math.floor(Date.now() / 1000),
): string {
  return Stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret, timestamp: at });
}
