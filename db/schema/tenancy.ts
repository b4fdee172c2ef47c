import { sql } from "drizzle-orm";
import { bigint, boolean, check, foreignKey, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { MODES } from "../states.ts";
import { createdAt, moment, oneOf } from "./columns.ts";
import { sources } from "./sources.ts";

/** A customer organisation; comes into being when it is first named. */
export const tenants = pgTable("tenants", {
  id: text("id").primaryKey(),
  createdAt: createdAt(),
});

/** What credits are granted to. The balance is kept equal to the sum of its credit_entries. */
export const workspaces = pgTable(
  "workspaces",
  {
    id: text("id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id),
    name: text("name").notNull(),
    /** E-mail address for confirmations; null is allowed, and the trace then says why none was sent. */
    contact: text("contact"),
    creditBalance: bigint("credit_balance", { mode: "bigint" }).notNull().default(sql`0`),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [index("workspaces_tenant").on(table.tenantId, table.id)],
);

/**
 * The sender's accounts whose events a source accepts, and the tenant that each belongs to. A test-mode account is
 * spelled with `~test`, so that ids of the two modes never meet.
 */
export const sourceAccounts = pgTable(
  "source_accounts",
  {
    sourceId: text("source_id")
      .notNull()
      .references(() => sources.id),
    account: text("account").notNull(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id),
    mode: text("mode", { enum: MODES }).notNull(),
    /** The account meant by an event that names none. All own rows of a source share one base id. */
    own: boolean("own").notNull().default(false),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account] }),
    check("source_accounts_mode", oneOf(table.mode, MODES)),
    check("source_accounts_spelling", sql`(${table.mode} = 'test') = (${table.account} like '%~test')`),
  ],
);

/** Which workspace a sender's customer is. The only authority for a grant: ids in payloads are claims. */
export const customerLinks = pgTable(
  "customer_links",
  {
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    customer: text("customer").notNull(),
    workspaceId: text("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account, table.customer] }),
    foreignKey({
      name: "customer_links_account",
      columns: [table.sourceId, table.account],
      foreignColumns: [sourceAccounts.sourceId, sourceAccounts.account],
    }),
    index("customer_links_workspace").on(table.workspaceId),
  ],
);
