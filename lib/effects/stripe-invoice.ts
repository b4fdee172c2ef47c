import { z } from "zod";
import { amount, currency, id, readShape, reference } from "./shapes.ts";
import type { EffectEvent, PaymentLink, Reading } from "./types.ts";

/** What the grant needs of a paid invoice or transaction, read alike from every sender and version. Minor units. */
export type PaidInvoice = {
  invoice: string;
  customer: string;
  status: string;
  amountPaid: bigint;
  currency: string;
  /** Null for senders that have no such notion. */
  billingReason: string | null;
  priceIds: string[];
  /** The event carries only some of the lines. */
  hasMoreLines: boolean;
  /** Payments that are known to have paid it. */
  links: PaymentLink[];
};

const line = z.object({
  price: z.object({ id }).nullish(),
  plan: z.object({ id }).nullish(),
  pricing: z.object({ price_details: z.object({ price: reference.nullish() }).nullish() }).nullish(),
});

/** Where a payment is named since invoices can have several. */
const payment = z.object({ payment_intent: reference.nullish(), charge: reference.nullish() });

const invoice = z.object({
  id,
  object: z.literal("invoice"),
  customer: reference,
  status: id.nullish(),
  /** Versions before 2019 said this instead of a status. */
  paid: z.boolean().nullish(),
  amount_paid: amount,
  total: z.union([amount, z.int().transform(BigInt)]).nullish(),
  paid_out_of_band: z.boolean().nullish(),
  currency,
  billing_reason: id.nullish(),
  lines: z.object({ data: z.array(line), has_more: z.boolean().nullish() }).nullish(),
  /** Until 2025 an invoice named its one payment. */
  charge: reference.nullish(),
  payment_intent: reference.nullish(),
  payments: z.object({ data: z.array(z.object({ payment: payment.nullish() })) }).nullish(),
});

const invoiceEvent = z.object({ data: z.object({ object: invoice }) });

const invoicePayment = z.object({
  object: z.literal("invoice_payment"),
  invoice: reference,
  payment,
});
const invoicePaymentEvent = z.object({ data: z.object({ object: invoicePayment }) });

export function readPaidInvoice({ payload }: EffectEvent): Reading<PaidInvoice> {
  const reading = readShape(invoiceEvent, payload, "invoice");
  if (!reading.ok) return reading;
  const { object } = reading.input.data;
  return {
    ok: true,
    input: {
      invoice: object.id,
      customer: object.customer,
      status: object.status ?? (object.paid ? "paid" : "open"),
      amountPaid: amountReceived(object),
      currency: object.currency,
      billingReason: object.billing_reason ?? "manual",
      priceIds: (object.lines?.data ?? []).flatMap((entry) => priceOf(entry) ?? []),
      hasMoreLines: object.lines?.has_more === true,
      links: linksOf(object.id, [
        object,
        ...(object.payments?.data ?? []).flatMap((item) => item.payment ?? []),
      ]),
    },
  };
}

/** `invoice_payment.paid`: only says which payment paid which invoice. */
export function readInvoicePayment({ payload }: EffectEvent): Reading<PaymentLink[]> {
  const reading = readShape(invoicePaymentEvent, payload, "invoice payment");
  if (!reading.ok) return reading;
  const { object } = reading.input.data;
  return { ok: true, input: linksOf(object.invoice, [object.payment]) };
}

type Payment = z.infer<typeof payment>;

/** Each payment once, sorted: what is written must not depend on the order in a payload. */
function linksOf(invoiceId: string, payments: readonly Payment[]): PaymentLink[] {
  const ids = new Set(payments.flatMap((entry) => [entry.payment_intent ?? [], entry.charge ?? []].flat()));
  return [...ids].sort().map((name) => ({ payment: name, invoice: invoiceId }));
}

/** An invoice marked as paid outside Stripe may show nothing as paid through it; its total was received all the same. */
function amountReceived(object: z.infer<typeof invoice>): bigint {
  if (object.amount_paid === 0n && object.paid_out_of_band && object.total && object.total > 0n)
    return object.total;
  return object.amount_paid;
}

function priceOf(entry: z.infer<typeof line>): string | null {
  return entry.pricing?.price_details?.price ?? entry.price?.id ?? entry.plan?.id ?? null;
}
