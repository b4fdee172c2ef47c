import { z } from "zod";
import { idText, type JsonValue, member } from "#lib/json.ts";
import { readAmount } from "./amounts.ts";
import { currency } from "./shapes.ts";
import type { PaidInvoice } from "./stripe-invoice.ts";
import type { EffectEvent, PaymentLink, Reading } from "./types.ts";

/** A member of the event itself or of its `data`, under the first of several names. */
export function field({ payload }: EffectEvent, ...names: string[]): JsonValue | null {
  for (const holder of [payload, member(payload, "data")]) {
    for (const name of names) {
      const value = member(holder, name);
      if (value !== undefined && value !== null) return value;
    }
  }
  return null;
}

const refuse = (what: string): { ok: false; why: string } => ({
  ok: false,
  why: `the transaction does not have the expected shape at ${what}`,
});

export type Money = { amount: bigint; currency: string };

/** An amount with its currency, by the notation that the source's settings name. */
export function readMoney(event: EffectEvent, ...names: string[]): Reading<Money> {
  const code = currency.safeParse(field(event, "currency"));
  if (!code.success) return refuse("currency");
  const amount = readAmount(field(event, ...names) ?? undefined, code.data, event.settings.amounts);
  return amount === null ? refuse(names[0]!) : { ok: true, input: { amount, currency: code.data } };
}

export function readTransactionId(event: EffectEvent): string | null {
  return idText(field(event, "transactionId") ?? undefined);
}

/** What a sender calls a transaction that was paid. */
const PAID = z
  .string()
  .regex(/^(succeeded|success|successful|paid|captured|completed)$/i)
  .transform(() => "paid");

/** TRANSACTION_SUCCEEDED: one transaction is what one invoice is elsewhere. */
export function readPaidTransaction(event: EffectEvent): Reading<PaidInvoice> {
  const transaction = readTransactionId(event);
  if (!transaction) return refuse("transactionId");
  const customer = idText(field(event, "customerId") ?? member(field(event, "customer") ?? undefined, "id"));
  if (!customer) return refuse("customerId");
  const money = readMoney(event, "amount");
  if (!money.ok) return money;
  const said = field(event, "status") ?? "succeeded";
  const status = PAID.safeParse(said).data ?? idText(said);
  if (!status) return refuse("status");
  const price = idText(field(event, "priceId") ?? undefined);
  return {
    ok: true,
    input: {
      invoice: transaction,
      customer,
      status,
      amountPaid: money.input.amount,
      currency: money.input.currency,
      billingReason: null,
      priceIds: price ? [price] : [],
      hasMoreLines: false,
      links: checkoutLinks(event, transaction),
    },
  };
}

/** CHECKOUT_SESSION_PAID: only says which transaction a checkout session led to. */
export function readPaidCheckout(event: EffectEvent): Reading<PaymentLink[]> {
  const transaction = readTransactionId(event);
  if (!transaction) return refuse("transactionId");
  const links = checkoutLinks(event, transaction);
  return links.length > 0 ? { ok: true, input: links } : refuse("checkoutSessionId");
}

function checkoutLinks(event: EffectEvent, transaction: string): PaymentLink[] {
  const session = idText(field(event, "checkoutSessionId", "sessionId") ?? undefined);
  return session ? [{ payment: session, invoice: transaction }] : [];
}
