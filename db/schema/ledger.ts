import { sql } from "drizzle-orm";
import { bigint, check, index, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";
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
    /** Why a grant has no confirmation intent; null where it has one, or where none belongs to it. */
    confirmationOmitted: text("confirmation_omitted"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("credit_entries_business_key").on(table.sourceId, table.account, table.subject, table.operation),
    index("credit_entries_workspace").on(table.workspaceId, table.createdAt, table.id),
    index("credit_entries_event").on(table.inboxEventId),
    check("credit_entries_amount", sql`${table.amount} <> 0`),
    check("credit_entries_paid", sql`(${table.paidAmount} is null) = (${table.paidCurrency} is null)`),
  ],
);
