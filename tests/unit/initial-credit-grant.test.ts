import { describe, expect, it } from "vitest";
import { initialCreditGrant } from "#lib/effects/initial-credit-grant.ts";
import type { Decision, EffectEvent, EntryFact, LinkFact } from "#lib/effects/types.ts";
import type { JsonValue } from "#lib/json.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import { NOTHING } from "#tests/support/effects.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const LINK: NonNullable<LinkFact> = {
  workspaceId: "ws_1",
  workspaceName: "Acme",
  tenantId: "acme",
  contact: "a@b.example",
};

function decide(
  invoice: Record<string, unknown>,
  { link = LINK as LinkFact, entry = null as EntryFact, settings = {} } = {},
): Decision {
  const event: EffectEvent = {
    id: "row-1",
    kind: "stripe",
    sourceId: "stripe",
    account: "acct_1",
    tenantId: "acme",
    mode: "live",
    type: "invoice.paid",
    eventId: "evt_1",
    subject: "in_1",
    payload: stripeEvent({}, stripeInvoice({ id: "in_1", ...invoice })) as JsonValue,
    settings: sourceSettings.parse(settings),
  };
  const reading = initialCreditGrant.read(event);
  if (!reading.ok) return { kind: "fail", failureClass: "invalid", why: reading.why };
  return initialCreditGrant.decide(event, reading.input, {
    ...NOTHING,
    link: () => link,
    entry: () => entry,
  });
}

const kindOf = (decision: Decision) =>
  decision.kind === "fail" ? `fail ${decision.failureClass}` : decision.kind;

const STATUSES = ["paid", "open", "draft", "void", "uncollectible"];
const REASONS = [
  "manual",
  "subscription",
  "subscription_create",
  "subscription_cycle",
  "subscription_threshold",
  "subscription_update",
  "quote_accept",
  "automatic_pending_invoice_item_invoice",
  null,
];

describe("the eligibility table", () => {
  const cells = STATUSES.flatMap((status) =>
    REASONS.flatMap((reason) => [0, 1, 1000].map((amount) => ({ status, reason, amount }))),
  );

  it.each(cells)("$status, $reason, $amount", ({ status, reason, amount }) => {
    const expected = status === "paid" && amount > 0 ? "applied" : "not_eligible";
    expect(kindOf(decide({ status, billing_reason: reason, amount_paid: amount }))).toBe(expected);
  });

  it("sends a billing reason that is not in it to a person", () => {
    expect(kindOf(decide({ billing_reason: "brand_new" }))).toBe("fail invalid");
  });

  it("obeys the source's own lists of reasons and currencies", () => {
    expect(kindOf(decide({}, { settings: { billingReasons: ["manual"] } }))).toBe("not_eligible");
    expect(kindOf(decide({ currency: "EUR" }, { settings: { currencies: ["eur"] } }))).toBe("applied");
    expect(kindOf(decide({ currency: "jpy" }, { settings: { currencies: ["eur"] } }))).toBe("not_eligible");
  });
});

describe("every known API version", () => {
  it.each([
    ["a subscription by id (old)", { subscription: "sub_1", parent: undefined }],
    [
      "a subscription under parent (new)",
      { parent: { type: "subscription_details", subscription_details: { subscription: "sub_1" } } },
    ],
    ["no subscription", { subscription: null, parent: null }],
    ["an expanded customer", { customer: { id: "cus_acme", object: "customer" } }],
    ["`paid` instead of a status", { status: undefined, paid: true }],
    ["a price under `price`", { lines: { data: [{ price: { id: "price_x" } }] } }],
    ["no lines", { lines: undefined }],
  ])("grants with %s", (_, invoice) => {
    expect(kindOf(decide(invoice))).toBe("applied");
  });

  it.each([
    ["an amount beyond a bigint column", { amount_paid: 2n ** 63n }],
    ["an amount that a double rounds", { amount_paid: 1e21 }],
    ["a string amount", { amount_paid: "1000" }],
    ["a status of another type", { status: 7 }],
    ["another object", { object: "charge" }],
  ])("leaves %s to a person", (_, invoice) => {
    expect(kindOf(decide(invoice))).toBe("fail invalid");
  });
});

describe("credits by price", () => {
  const line = (price: string) => ({ pricing: { price_details: { price } } });

  it("adds the credits of the lines that have one", () => {
    const decision = decide(
      { lines: { data: [line("a"), line("b"), line("c")] } },
      { settings: { creditsByPrice: { a: 5, b: 7 } } },
    );
    expect(decision).toMatchObject({ kind: "applied", changes: { entries: [{ amount: 12n }] } });
  });

  it("does not guess when the event leaves lines out", () => {
    const decision = decide(
      { lines: { data: [line("z")], has_more: true } },
      { settings: { creditsByPrice: { a: 5 } } },
    );
    expect(kindOf(decision)).toBe("fail invalid");
  });
});

describe("against what is there", () => {
  const there: NonNullable<EntryFact> = {
    amount: 100n,
    workspaceId: "ws_1",
    paidAmount: 1000n,
    paidCurrency: "usd",
    mode: "live",
    byEventId: "row-0",
    byExternalId: "evt_0",
    byType: "invoice.payment_succeeded",
    at: "",
  };

  it("equal is already applied, by that receipt", () => {
    expect(decide({}, { entry: there })).toEqual({
      kind: "already_applied",
      byEventId: "row-0",
      why: "the grant of this invoice was made by invoice.payment_succeeded evt_0",
      changes: { links: [] },
    });
  });

  it.each([
    ["amount", { amount: 99n }],
    ["workspace", { workspaceId: "ws_2" }],
    ["paid amount", { paidAmount: 999n }],
    ["currency", { paidCurrency: "eur" }],
    ["mode", { mode: "test" }],
  ])("another %s is a mismatch", (_, difference) => {
    expect(kindOf(decide({}, { entry: { ...there, ...difference } }))).toBe("fail mismatch");
  });

  it("no link waits, a link across tenants is a mismatch, no address is still a grant", () => {
    expect(decide({}, { link: null })).toMatchObject({
      kind: "wait",
      waitsKind: "link",
      waitsKey: "cus_acme",
    });
    expect(kindOf(decide({}, { link: { ...LINK, tenantId: "other" } }))).toBe("fail mismatch");
    expect(decide({}, { link: { ...LINK, contact: null } })).toMatchObject({
      kind: "applied",
      changes: { messages: [], entries: [{ confirmationOmitted: expect.any(String) }] },
    });
  });

  it("a workspace name cannot begin a new header", () => {
    const decision = decide({}, { link: { ...LINK, workspaceName: "Acme\r\nBcc: x@y.example" } });
    expect(decision.kind === "applied" && decision.changes?.messages?.[0]?.content.subject).toBe(
      "100 credits for Acme Bcc: x@y.example",
    );
  });
});
