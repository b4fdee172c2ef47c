import { fail, invoiceKey, oneLine } from "./keys.ts";
import { readPaidCheckout, readPaidTransaction } from "./payments-transaction.ts";
import { type PaidInvoice, readInvoicePayment, readPaidInvoice } from "./stripe-invoice.ts";
import type {
  Changes,
  Decision,
  Effect,
  EffectEvent,
  EntryDraft,
  EntryFact,
  IntentDraft,
  LinkFact,
  MessageDraft,
  PaymentLink,
  Reading,
} from "./types.ts";

export const OPERATION = "initial-credit-grant";

/** Stripe's billing reasons. One that is not here is new to us, and a person decides: no default grant. */
const KNOWN_REASONS = [
  "automatic_pending_invoice_item_invoice",
  "manual",
  "quote_accept",
  "subscription",
  "subscription_create",
  "subscription_cycle",
  "subscription_threshold",
  "subscription_update",
];

/**
 * A paid invoice, or a payments sender's transaction, grants credits to the workspace that its customer is linked to, once per (source, account, invoice),
 * whichever of its two event types comes, in whatever order. Eligibility:
 *
 *   status      amount   reason            outcome
 *   not paid    any      any               not eligible (void, uncollectible, open, draft)
 *   paid        0        any               not eligible (trial, full discount, customer balance)
 *   paid        > 0      unknown           failed, invalid: a person decides
 *   paid        > 0      known, excluded   not eligible, by the source's settings
 *   paid        > 0      known             grant
 *
 * Paid out of band counts as paid, with the invoice's total. An invoice without a subscription is eligible. A sender
 * without billing reasons has none to know. Events that only tell which payment paid what are linked and grant nothing.
 */
export const initialCreditGrant: Effect<GrantInput> = {
  name: OPERATION,
  takes: {
    stripe: ["invoice.paid", "invoice.payment_succeeded", "invoice_payment.paid"],
    payments: ["TRANSACTION_SUCCEEDED", "CHECKOUT_SESSION_PAID"],
  },
  read(event) {
    switch (event.type) {
      case "invoice_payment.paid":
        return toLinks(readInvoicePayment(event));
      case "CHECKOUT_SESSION_PAID":
        return toLinks(readPaidCheckout(event));
      case "TRANSACTION_SUCCEEDED":
        return toPaid(readPaidTransaction(event));
      default:
        return toPaid(readPaidInvoice(event));
    }
  },
  lockKeys: (event, input) => (input.kind === "paid" ? [invoiceKey(event, input.invoice)] : []),
  needs(event, input) {
    if (input.kind === "links") return [];
    const key = { sourceId: event.sourceId, account: event.account };
    return [
      { kind: "link", ...key, customer: input.customer },
      { kind: "entry", ...key, subject: input.invoice, operation: OPERATION },
    ];
  },
  decide(event, input, facts) {
    if (input.kind === "links") return linkOnly(input.links);
    const refusal = refuse(event, input);
    if (refusal) return refusal;
    const key = { sourceId: event.sourceId, account: event.account };
    const link = facts.link({ ...key, customer: input.customer });
    const entry = facts.entry({ ...key, subject: input.invoice, operation: OPERATION });
    if (!link && !entry) return waitForLink(input);
    if (link && link.tenantId !== event.tenantId) {
      return fail(
        "mismatch",
        `customer ${input.customer} is linked to a workspace of another tenant than its account's`,
      );
    }
    const credits = creditsFor(event, input);
    if (credits === null) {
      return fail(
        "invalid",
        "the event carries only some of the invoice's lines, and credits depend on their prices",
      );
    }
    return entry ? compare(entry, event, input, link, credits) : grant(event, input, link!, credits);
  },
};

type GrantInput = ({ kind: "paid" } & PaidInvoice) | { kind: "links"; links: PaymentLink[] };

const toPaid = (reading: Reading<PaidInvoice>): Reading<GrantInput> =>
  reading.ok ? { ok: true, input: { kind: "paid", ...reading.input } } : reading;
const toLinks = (reading: Reading<PaymentLink[]>): Reading<GrantInput> =>
  reading.ok ? { ok: true, input: { kind: "links", links: reading.input } } : reading;

function linkOnly(links: PaymentLink[]): Decision {
  const [first] = links;
  if (!first) return { kind: "not_eligible", why: "the payment went another way than this sender's own" };
  return {
    kind: "linked",
    why: `${links.map(({ payment }) => payment).join(" and ")} paid ${first.invoice}`,
    changes: { links },
    subject: first.invoice,
  };
}

function refuse(event: EffectEvent, input: PaidInvoice): Decision | null {
  const { billingReasons, currencies } = event.settings;
  const reason = input.billingReason;
  if (input.status !== "paid")
    return { kind: "not_eligible", why: `the invoice is ${input.status}, not paid` };
  if (input.amountPaid === 0n) return { kind: "not_eligible", why: "nothing was paid: the amount is 0" };
  if (reason !== null && !KNOWN_REASONS.includes(reason))
    return fail("invalid", `the billing reason ${reason} is not known`);
  if (reason !== null && billingReasons && !billingReasons.includes(reason)) {
    return {
      kind: "not_eligible",
      why: `invoices with billing reason ${reason} grant nothing on this source`,
    };
  }
  if (currencies && !currencies.includes(input.currency)) {
    return { kind: "not_eligible", why: `invoices in ${input.currency} grant nothing on this source` };
  }
  return null;
}

/** Null when a price that decides may be among the lines that the event left out. */
function creditsFor({ settings }: EffectEvent, input: PaidInvoice): bigint | null {
  const priced = Object.keys(settings.creditsByPrice).length > 0;
  if (priced && input.hasMoreLines) return null;
  const matched = input.priceIds.filter((price) => Object.hasOwn(settings.creditsByPrice, price));
  if (matched.length === 0) return BigInt(settings.credits);
  return matched.reduce((sum, price) => sum + BigInt(settings.creditsByPrice[price]!), 0n);
}

function waitForLink(input: PaidInvoice): Decision {
  return {
    kind: "wait",
    waitsKind: "link",
    waitsKey: input.customer,
    why: `customer ${input.customer} is not linked to a workspace`,
  };
}

function grant(
  event: EffectEvent,
  input: PaidInvoice,
  link: NonNullable<LinkFact>,
  credits: bigint,
): Decision {
  const entry: EntryDraft = {
    subject: input.invoice,
    operation: OPERATION,
    amount: credits,
    workspaceId: link.workspaceId,
    paidAmount: input.amountPaid,
    paidCurrency: input.currency,
    confirmationOmitted: link.contact ? null : "the workspace has no contact address",
  };
  const changes: Changes = {
    entries: [entry],
    messages: link.contact ? [confirmation(input, link, link.contact, credits)] : [],
    intents: [notification(event, input, link, credits)],
    links: input.links,
  };
  return { kind: "applied", why: `${credits} credits granted to ${link.workspaceName}`, changes };
}

function notification(
  { id, sourceId, account }: EffectEvent,
  input: PaidInvoice,
  link: NonNullable<LinkFact>,
  credits: bigint,
): IntentDraft {
  return {
    topic: "credit.granted",
    purpose: "notification",
    operation: OPERATION,
    subject: input.invoice,
    data: {
      source: sourceId,
      account,
      invoice: input.invoice,
      operation: OPERATION,
      event: id,
      workspace: { id: link.workspaceId, name: link.workspaceName },
      credits,
      paid: { amount: input.amountPaid, currency: input.currency },
    },
  };
}

function confirmation(
  input: PaidInvoice,
  link: NonNullable<LinkFact>,
  contact: string,
  credits: bigint,
): MessageDraft {
  return {
    topic: "credit.granted",
    channel: "email",
    destination: contact,
    purpose: "confirmation",
    operation: OPERATION,
    subject: input.invoice,
    content: {
      subject: `${credits} credits for ${oneLine(link.workspaceName)}`,
      text: [
        `Invoice ${input.invoice} was paid.`,
        `${credits} credits were added to the workspace ${oneLine(link.workspaceName)}.`,
        "",
      ].join("\n"),
    },
  };
}

/** What is there must be what this receipt would have made: anything else is for a person, never silence. */
function compare(
  entry: NonNullable<EntryFact>,
  event: EffectEvent,
  input: PaidInvoice,
  link: LinkFact,
  credits: bigint,
): Decision {
  const differences = [
    entry.amount !== credits && `${entry.amount} credits instead of ${credits}`,
    link &&
      entry.workspaceId !== link.workspaceId &&
      `workspace ${entry.workspaceId} instead of ${link.workspaceId}`,
    entry.paidAmount !== input.amountPaid && `paid amount ${entry.paidAmount} instead of ${input.amountPaid}`,
    entry.paidCurrency !== input.currency && `currency ${entry.paidCurrency} instead of ${input.currency}`,
    entry.mode !== event.mode && `mode ${entry.mode} instead of ${event.mode}`,
  ].filter((text) => text !== false && text !== null);
  if (differences.length > 0)
    return fail("mismatch", `this invoice already has a grant, with ${differences.join(", ")}`);
  return {
    kind: "already_applied",
    byEventId: entry.byEventId,
    changes: { links: input.links },
    why:
      entry.byEventId === event.id
        ? "this receipt made the grant itself"
        : `the grant of this invoice was made by ${entry.byType} ${entry.byExternalId}`,
  };
}
