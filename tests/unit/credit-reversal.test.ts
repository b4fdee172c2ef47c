import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EffectEvent } from "#lib/effects/types.ts";
import { effectEvent, Model } from "#tests/support/effects.ts";
import { stripeInvoice } from "#tests/support/stripe-events.ts";
import {
  stripeCharge,
  stripeDispute,
  stripeEventOf,
  stripeInvoicePayment,
  stripeRefund,
} from "#tests/support/stripe-money.ts";

type Json = Record<string, unknown>;

const of = (type: string, object: Json, settings = {}): EffectEvent =>
  effectEvent({ type, payload: stripeEventOf(type, object), settings });

/** Old versions name the payment on the invoice itself. */
const paid = (overrides: Json = {}) =>
  of(
    "invoice.paid",
    stripeInvoice({ id: "in_1", amount_paid: 3000, charge: "ch_1", payment_intent: "pi_1", ...overrides }),
  );
const refundedTotal = (amount: number, settings = {}) =>
  of("charge.refunded", stripeCharge({ amount: 3000, amount_refunded: amount }), settings);
const refund = (id: string, amount: number, status = "succeeded") =>
  of(status === "failed" ? "refund.failed" : "refund.created", stripeRefund({ id, amount, status }));
const dispute = (type: string, status: string, amount = 3000) =>
  of(`charge.dispute.${type}`, stripeDispute({ amount, status }));

const run = (...events: EffectEvent[]) => {
  const model = new Model();
  for (const event of events) model.take(event);
  return model;
};
const operations = (model: Model) =>
  model.facts
    .invoice({ sourceId: "stripe", account: "acct_1", invoice: "in_1" })
    .reversals.map(({ operation, amount }) => `${operation} ${amount}`);

describe("running totals", () => {
  it("take back only what the total before did not", () => {
    const model = run(paid(), refundedTotal(1000), refundedTotal(1500));
    expect(operations(model)).toEqual(["credit-reversal:charge:1000 -33", "credit-reversal:charge:1500 -17"]);
    expect(model.balance).toBe(50n);
  });

  it("in the other order end at the same balance, and the late one is already applied", () => {
    const model = run(paid(), refundedTotal(1500), refundedTotal(1000));
    expect(model.balance).toBe(50n);
    expect(model.rulings.at(-1)?.ruling).toMatchObject({ verdicts: [{ outcome: "already_applied" }] });
  });

  it("and refunds by id tell of the same money", () => {
    const model = run(paid(), refund("re_1", 1000), refundedTotal(1500), refund("re_2", 500));
    expect(model.balance).toBe(50n);
  });

  it("of the whole payment take back exactly what was granted", () => {
    expect(run(paid({ amount_paid: 2999 }), refundedTotal(2999)).balance).toBe(0n);
    expect(run(paid(), refundedTotal(3001)).balance).toBe(0n);
  });

  it("carry the single refunds in old versions: one entry each, and none for the total", () => {
    const refunds = {
      data: [stripeRefund({ id: "re_1", amount: 1000 }), stripeRefund({ id: "re_2", amount: 500 })],
    };
    const model = run(
      paid(),
      of("charge.refunded", stripeCharge({ amount_refunded: 1500, refunds, invoice: "in_1" })),
    );
    expect(operations(model)).toEqual(["credit-reversal:re_1 -33", "credit-reversal:re_2 -17"]);
  });
});

describe("what comes back", () => {
  it("a refund that fails gives its credits back", () => {
    const model = run(paid(), refund("re_1", 1000, "pending"), refund("re_1", 1000, "failed"));
    expect(operations(model)).toEqual(["credit-reversal:re_1 -33", "credit-reversal:re_1:failed 33"]);
  });

  it("a refund that failed before it was heard of takes nothing, also when it is heard of late", () => {
    const model = run(paid(), refund("re_1", 1000, "failed"), refund("re_1", 1000, "pending"));
    expect(model.balance).toBe(100n);
    expect(model.rulings.at(1)?.ruling).toMatchObject({ verdicts: [{ outcome: "not_eligible" }] });
  });

  it("a dispute takes at once, keeps when lost, and gives back when won", () => {
    expect(run(paid(), dispute("created", "needs_response")).balance).toBe(0n);
    expect(run(paid(), dispute("created", "needs_response"), dispute("closed", "lost")).balance).toBe(0n);
    expect(run(paid(), dispute("created", "needs_response"), dispute("closed", "won")).balance).toBe(100n);
    expect(run(paid(), dispute("closed", "won"), dispute("created", "needs_response")).balance).toBe(100n);
  });

  it("an inquiry moves no credits until the money is withdrawn", () => {
    expect(run(paid(), dispute("created", "warning_needs_response")).balance).toBe(100n);
    expect(
      run(
        paid(),
        dispute("created", "warning_needs_response"),
        dispute("funds_withdrawn", "warning_needs_response"),
      ).balance,
    ).toBe(0n);
    expect(run(paid(), dispute("closed", "lost"), dispute("funds_reinstated", "won")).balance).toBe(100n);
  });

  it("a refund and a dispute together never take more than was granted", () => {
    expect(run(paid(), refund("re_1", 2000), dispute("created", "needs_response")).balance).toBe(0n);
  });
});

describe("before its grant", () => {
  it("waits to be told which invoice was paid, then for the grant, and is made after it", () => {
    const model = new Model();
    expect(model.take(refundedTotal(1500))).toMatchObject({
      kind: "wait",
      waitsKind: "link",
      waitsKey: "pi_1",
    });
    model.take(of("invoice_payment.paid", stripeInvoicePayment()));
    expect(model.waiting).toHaveLength(1);
    expect(model.rulings.at(-1)?.ruling).toMatchObject({
      waitsKind: "event",
      waitsKey: "in_1",
      subject: "in_1",
    });
    model.take(paid({ charge: null, payment_intent: null }));
    expect(model.waiting).toHaveLength(0);
    expect(model.balance).toBe(50n);
  });

  it("a payment of two invoices is for a person", () => {
    const model = run(paid(), of("invoice_payment.paid", stripeInvoicePayment({ invoice: "in_2" })));
    expect(model.take(refund("re_1", 1000))).toMatchObject({ kind: "fail", failureClass: "mismatch" });
  });
});

describe("what does not fit is for a person", () => {
  it("another currency", () => {
    const event = of("refund.created", stripeRefund({ currency: "eur" }));
    expect(run(paid()).take(event)).toMatchObject({ kind: "fail", failureClass: "mismatch" });
  });
  it("the same refund with another amount", () => {
    expect(run(paid(), refund("re_1", 1000)).take(refund("re_1", 999))).toMatchObject({
      kind: "fail",
      failureClass: "mismatch",
    });
  });
  it.each([
    ["an unknown refund status", { status: "thinking" }],
    ["no payment at all", { charge: null, payment_intent: null }],
    ["an amount as text", { amount: "1000" }],
    ["a fraction", { amount: 10.5 }],
    ["a negative amount", { amount: -5 }],
    ["an amount that a double rounds", { amount: 1e21 }],
  ])("%s", (_, wrong) => {
    expect(() => run(of("refund.created", stripeRefund(wrong)))).toThrow();
  });
});

describe("with a floor at 0", () => {
  const floor = { negativeBalances: "floor" };
  const spend = (amount: number) =>
    effectEvent({
      kind: "manual",
      type: "credit.correction",
      payload: { workspace: "ws_1", amount: -amount, reason: "spent" },
    });

  it("takes what is there, records the rest, and gives back only what was taken", () => {
    const model = run(paid(), spend(70), refundedTotal(3000, floor));
    expect(model.balance).toBe(0n);
    expect(model.rulings.at(-1)?.ruling).toMatchObject({
      verdicts: [
        {
          why: expect.stringContaining("30 credits taken back from Acme, and 70 more could not be"),
          changes: { entries: [{ amount: -30n, shortfall: 70n }] },
        },
      ],
    });
    // Nothing more is taken when it is told again, and the balance has grown meanwhile.
    model.take(
      effectEvent({
        kind: "manual",
        type: "credit.correction",
        payload: { workspace: "ws_1", amount: 500, reason: "gift" },
      }),
    );
    model.take(refundedTotal(3000, floor));
    expect(model.balance).toBe(500n);
  });

  it("without one the balance goes below 0", () => {
    expect(run(paid(), spend(70), refundedTotal(3000)).balance).toBe(-70n);
  });

  it("what is given back ends the shortfall first", () => {
    const open = { ...dispute("created", "needs_response"), settings: refundedTotal(1, floor).settings };
    const won = { ...dispute("closed", "won"), settings: open.settings };
    const model = run(paid(), spend(70), open, won);
    expect(model.balance).toBe(30n);
  });
});

describe("any order, with any repeats", () => {
  // What a charge of 3000 can go through; a total is told whenever a refund is made, as Stripe does.
  const history = fc
    .array(fc.record({ amount: fc.integer({ min: 1, max: 1000 }), fails: fc.boolean() }), { maxLength: 4 })
    .chain((refunds) =>
      fc.record({
        refunds: fc.constant(refunds),
        dispute: fc.constantFrom(null, "needs_response", "lost", "won", "warning_closed"),
        paid: fc.integer({ min: 4000, max: 9999 }),
        credits: fc.integer({ min: 1, max: 5000 }),
        seed: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
      }),
    );

  it("converges to the credits that the money which went back is worth", () => {
    fc.assert(
      fc.property(history, ({ refunds, dispute: outcome, paid: amount, credits, seed }) => {
        const settings = { credits };
        const events: [string, Json][] = [
          [
            "invoice.paid",
            stripeInvoice({ id: "in_1", amount_paid: amount, charge: "ch_1", payment_intent: "pi_1" }),
          ],
        ];
        let total = 0;
        for (const [at, { amount: part, fails }] of refunds.entries()) {
          total += part;
          const known = { id: `re_${at}`, amount: part };
          events.push(["refund.created", stripeRefund({ ...known, status: "pending" })]);
          events.push(["charge.refunded", stripeCharge({ amount_refunded: total })]);
          events.push(["refund.updated", stripeRefund({ ...known, status: fails ? "failed" : "succeeded" })]);
          if (fails) total -= part;
        }
        const disputed = 700;
        if (outcome) {
          const first = outcome.startsWith("warning") ? "warning_needs_response" : "needs_response";
          events.push(["charge.dispute.created", stripeDispute({ amount: disputed, status: first })]);
          events.push(["charge.dispute.closed", stripeDispute({ amount: disputed, status: outcome })]);
        }
        const shuffled = [...events, ...events.slice(0, 5)]
          .map((event, at) => ({ event, at: seed[at] ?? at }))
          .sort((a, b) => a.at - b.at);
        const model = new Model();
        for (const { event } of shuffled) model.take(of(event[0], event[1], settings));

        const back = total + (outcome === "lost" || outcome === "needs_response" ? disputed : 0);
        const expected =
          back >= amount ? 0n : BigInt(credits) - (BigInt(credits) * BigInt(back)) / BigInt(amount);
        expect(model.waiting).toHaveLength(0);
        expect(model.balance).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });
});

describe("corrections by hand", () => {
  const correction = (payload: Json) =>
    effectEvent({ kind: "manual", type: "credit.correction", eventId: "key-1", payload });

  it("make one signed entry under their key", () => {
    const model = new Model();
    const event = correction({ workspace: "ws_1", amount: "-25", reason: "typo" });
    expect(model.take(event)).toMatchObject({
      verdicts: [
        {
          outcome: "applied",
          changes: { entries: [{ subject: "key-1", operation: "credit-reversal:key-1" }] },
        },
      ],
    });
    expect(model.balance).toBe(-25n);
    expect(model.take(event)).toMatchObject({ verdicts: [{ outcome: "already_applied" }] });
    expect(model.balance).toBe(-25n);
  });

  it("reach no other tenant's workspace", () => {
    const model = new Model();
    model.facts.setWorkspace({ id: "ws_2", name: "Other", tenantId: "other", balance: 0n });
    expect(model.take(correction({ workspace: "ws_2", amount: 5, reason: "" }))).toMatchObject({
      kind: "fail",
      failureClass: "mismatch",
    });
  });

  it.each([
    ["no amount", { workspace: "ws_1" }],
    ["0", { workspace: "ws_1", amount: 0 }],
    ["a fraction", { workspace: "ws_1", amount: 1.5 }],
    ["no workspace", { amount: 5 }],
  ])("of %s are refused", (_, payload) => {
    expect(() => new Model().take(correction(payload))).toThrow();
  });
});
