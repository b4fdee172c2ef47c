import { randomBytes } from "node:crypto";

export type SampleIds = { event: string; invoice: string; created: number };
export type SampleCustomer = { customer: string };

/** Always the same, so that running the sample twice shows a duplicate. `created` is in epoch seconds. */
export const firstSample = (created: number): SampleIds => ({
  event: "evt_sample_1",
  invoice: "in_sample_1",
  created,
});

export function nextSample(): SampleIds {
  const random = () => randomBytes(9).toString("hex");
  return {
    event: `evt_sample_${random()}`,
    invoice: `in_sample_${random()}`,
    created: Math.floor(Date.now() / 1000),
  };
}

/** The event that Stripe sends for a paid subscription invoice, with the shape of its published examples. */
export function makeSampleEvent(
  { event, invoice, created }: SampleIds,
  { customer }: SampleCustomer,
): unknown {
  return {
    id: event,
    object: "event",
    api_version: "2025-09-30.clover",
    created: created + 2,
    data: { object: makeInvoice(invoice, customer, created) },
    livemode: true,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: "invoice.paid",
  };
}

const AMOUNT = 1_000;

function makeInvoice(id: string, customer: string, created: number): unknown {
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Sample Inc.",
    account_tax_ids: null,
    amount_due: AMOUNT,
    amount_overpaid: 0,
    amount_paid: AMOUNT,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 1,
    attempted: true,
    auto_advance: false,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, status: null },
    billing_reason: "subscription_cycle",
    collection_method: "charge_automatically",
    created,
    currency: "usd",
    custom_fields: null,
    customer,
    customer_address: null,
    customer_email: "billing@sample.example",
    customer_name: "Sample Inc.",
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: "none",
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: created,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: `https://invoice.stripe.com/i/${id}`,
    invoice_pdf: `https://pay.stripe.com/invoice/${id}/pdf`,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: "list",
      data: [makeLine(id, created)],
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: true,
    metadata: {},
    next_payment_attempt: null,
    number: "SAMPLE-0001",
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription: "sub_sample" },
      type: "subscription_details",
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: created,
    period_start: created - 30 * 86_400,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: "paid",
    status_transitions: {
      finalized_at: created,
      marked_uncollectible_at: null,
      paid_at: created + 1,
      voided_at: null,
    },
    subtotal: AMOUNT,
    subtotal_excluding_tax: AMOUNT,
    test_clock: null,
    total: AMOUNT,
    total_discount_amounts: [],
    total_excluding_tax: AMOUNT,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

function makeLine(invoice: string, created: number): unknown {
  return {
    id: `il_${invoice.slice(3)}`,
    object: "line_item",
    amount: AMOUNT,
    currency: "usd",
    description: "1 × Team (at $10.00 / month)",
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice,
    livemode: true,
    metadata: {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: "sub_sample",
        subscription_item: "si_sample",
      },
      type: "subscription_item_details",
    },
    period: { end: created + 30 * 86_400, start: created },
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: "price_sample_team", product: "prod_sample_team" },
      type: "price_details",
      unit_amount_decimal: String(AMOUNT),
    },
    quantity: 1,
    subtotal: AMOUNT,
    taxes: [],
  };
}
