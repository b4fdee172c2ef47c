import { sql } from "drizzle-orm";
import { bigint, check, index, pgTable, primaryKey, text, unique, uuid } from "drizzle-orm/pg-core";
import { RETURN_KINDS, RETURN_STATES } from "../states.ts";
import { createdAt, moment, oneOf } from "./columns.ts";
import { inboxEvents } from "./inbox.ts";
import { workspaces } from "./tenancy.ts";

/**
 * The ledger. The unique business key answers "has this invoice already had its grant?"; only what an insert really
 * created moves a balance.
 */
export const creditEntries = pgTable(
  "credit_entries",
  {
    id: uuid("id").primaryKey(),
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    subject: text("subject").notNull(),
    operation: text("operation").notNull(),
    /** Credits, signed. */
    amount: bigint("amount", { mode: "bigint" }).notNull(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    inboxEventId: uuid("inbox_event_id")
      .notNull()
      .references(() => inboxEvents.id),
    /** What was paid, in the currency's minor units, and the currency: a later receipt must agree. */
    paidAmount: bigint("paid_amount", { mode: "bigint" }),
    paidCurrency: text("paid_currency"),
    mode: text("mode").notNull(),
    /** Credits that a reversal should have taken, and left because the source's floor forbids a balance below 0; signed. */
    shortfall: bigint("shortfall", { mode: "bigint" }).notNull().default(sql`0`),
    /** Why a grant has no confirmation intent; null where it has one, or where none belongs to it. */
    confirmationOmitted: text("confirmation_omitted"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("credit_entries_business_key").on(table.sourceId, table.account, table.subject, table.operation),
    index("credit_entries_workspace").on(table.workspaceId, table.createdAt, table.id),
    // A reconciliation walks the entries of a source's window.
    index("credit_entries_source").on(table.sourceId, table.createdAt, table.id),
    index("credit_entries_event").on(table.inboxEventId),
    check("credit_entries_amount", sql`${table.amount} <> 0 or ${table.shortfall} <> 0`),
    check("credit_entries_paid", sql`(${table.paidAmount} is null) = (${table.paidCurrency} is null)`),
  ],
);

/**
 * Which invoice a payment paid, by the sender's ids (payment intent, charge, checkout session). Rows are only added. A
 * payment that leads to two invoices is for a person, when something depends on which.
 */
export const paymentLinks = pgTable(
  "payment_links",
  {
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    payment: text("payment").notNull(),
    invoice: text("invoice").notNull(),
    /** The event that said so; null where a person did. */
    inboxEventId: uuid("inbox_event_id"),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account, table.payment, table.invoice] }),
    index("payment_links_invoice").on(table.sourceId, table.account, table.invoice),
  ],
);

/**
 * What is known about money that went back for an invoice: each refund and dispute by its id, and per payment the
 * largest total that was told. States only move forward, so that the order of arrival does not matter; how many credits
 * are to be taken back follows from these rows alone.
 */
export const moneyReturns = pgTable(
  "money_returns",
  {
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    invoice: text("invoice").notNull(),
    kind: text("kind", { enum: RETURN_KINDS }).notNull(),
    /** Id of the refund or dispute; of a total, the payment. */
    reference: text("reference").notNull(),
    /** The payment that it belongs to. */
    payment: text("payment").notNull(),
    /** Minor units of the grant's currency. */
    amount: bigint("amount", { mode: "bigint" }).notNull(),
    state: text("state", { enum: RETURN_STATES }).notNull(),
    /** The event that was the last to change it. */
    inboxEventId: uuid("inbox_event_id")
      .notNull()
      .references(() => inboxEvents.id),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account, table.invoice, table.kind, table.reference] }),
    check("money_returns_kind", oneOf(table.kind, RETURN_KINDS)),
    check("money_returns_state", oneOf(table.state, RETURN_STATES)),
    check("money_returns_amount", sql`${table.amount} >= 0`),
  ],
);
