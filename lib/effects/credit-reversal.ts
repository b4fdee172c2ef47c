import { decideCorrection } from "./correction.ts";
import { fail, invoiceKey } from "./keys.ts";
import { type Correction, type MoneyBack, readCorrection, readRefundedTransaction } from "./money-back.ts";
import { decideReversal } from "./reverse.ts";
import { readStripeMoneyBack } from "./stripe-money-back.ts";
import type { Effect, EffectEvent, Facts, Reading } from "./types.ts";

export const REVERSAL = "credit-reversal";

type Input = ({ kind: "money" } & MoneyBack) | ({ kind: "correction" } & Correction);

/**
 * Refunds, disputes and corrections: separate, identified operations with signed entries. What is to be taken back is
 * computed from all that is known about the invoice's returned money, so that any order and any repeat ends alike. It
 * hits the workspace that got the grant, whatever the customer is linked to today; before the grant it waits.
 */
export const creditReversal: Effect<Input> = {
  name: REVERSAL,
  takes: {
    stripe: [
      "charge.refunded",
      "charge.refund.updated",
      "refund.created",
      "refund.updated",
      "refund.failed",
      "charge.dispute.created",
      "charge.dispute.updated",
      "charge.dispute.closed",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.funds_reinstated",
    ],
    payments: ["TRANSACTION_REFUNDED", "TRANSACTION_PARTIALLY_REFUNDED", "TRANSACTION_REFUND_FAILED"],
    manual: ["credit.correction"],
  },
  read(event) {
    if (event.kind === "manual") return tag("correction", readCorrection(event));
    return tag(
      "money",
      event.kind === "stripe" ? readStripeMoneyBack(event) : readRefundedTransaction(event),
    );
  },
  resolves: (event, input) =>
    input.kind === "money" && !input.invoice
      ? input.payments.map((payment) => ({ ...keyOf(event), payment }))
      : [],
  lockKeys(event, input, resolved) {
    if (input.kind === "correction") return [JSON.stringify([...Object.values(keyOf(event)), event.eventId])];
    return invoicesOf(event, input, resolved).map((invoice) => invoiceKey(event, invoice));
  },
  needs(event, input, resolved) {
    if (input.kind === "correction") {
      const operation = `${REVERSAL}:${event.eventId}`;
      return [
        { kind: "entry", ...keyOf(event), subject: event.eventId, operation },
        { kind: "workspace", workspace: input.workspace },
      ];
    }
    return invoicesOf(event, input, resolved).map((invoice) => ({
      kind: "invoice",
      ...keyOf(event),
      invoice,
    }));
  },
  decide(event, input, facts) {
    if (input.kind === "correction") return decideCorrection(event, input, facts);
    const invoices = invoicesOf(event, input, facts);
    const [invoice, other] = invoices;
    const [payment] = input.payments;
    if (!invoice) {
      const why = `it is not known which invoice ${payment} paid`;
      return { kind: "wait", waitsKind: "link", waitsKey: payment!, why };
    }
    if (other) return fail("mismatch", `${payment} is linked to several invoices: ${invoices.join(", ")}`);
    return decideReversal(event, { ...input, invoice }, facts);
  },
};

const keyOf = ({ sourceId, account }: EffectEvent) => ({ sourceId, account });

function invoicesOf(event: EffectEvent, input: MoneyBack, resolved: Pick<Facts, "payment">): string[] {
  if (input.invoice) return [input.invoice];
  const found = input.payments.flatMap((payment) => resolved.payment({ ...keyOf(event), payment }));
  return [...new Set(found)].sort();
}

function tag<Kind extends string, Part extends object>(
  kind: Kind,
  reading: Reading<Part>,
): Reading<{ kind: Kind } & Part> {
  return reading.ok ? { ok: true, input: { kind, ...reading.input } } : reading;
}
