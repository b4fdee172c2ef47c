import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { STATE_SOURCES } from "../states.ts";
import { createdAt, moment, oneOf } from "./columns.ts";

const key = () => ({ sourceId: text("source_id").notNull(), account: text("account").notNull() });

/** A projection's state, and how sure it is. Null status: nothing has been seen or fetched yet. */
const state = () => ({
  customer: text("customer"),
  /** The sender's own word for it. */
  status: text("status"),
  /** The sender's monotonic version; null for senders without one. */
  version: bigint("version", { mode: "bigint" }),
  /** `event`: what an event carried, by a rule that never goes back; `fetch`: what the sender answered. */
  stateSource: text("state_source", { enum: STATE_SOURCES }),
  /** Second at which the sender made the event whose state this is; decides between states of equal rank alone. */
  statedAt: bigint("stated_at", { mode: "bigint" }),
  /** The event that was the last to change or mark it. */
  inboxEventId: uuid("inbox_event_id"),
  createdAt: createdAt(),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});

/**
 * Subscriptions as their sender has them. Events only mark a row dirty; a refresher that holds the lease fetches the
 * state and applies it where its token still matches. Dirty is `marks > fetched_marks`: a mark that comes during a
 * fetch is not lost.
 */
export const subscriptions = pgTable(
  "subscriptions",
  {
    ...key(),
    subscription: text("subscription").notNull(),
    ...state(),
    /** How often events marked it, and how many of these marks the applied fetch had seen before it began. */
    marks: bigint("marks", { mode: "bigint" }).notNull().default(sql`0`),
    fetchedMarks: bigint("fetched_marks", { mode: "bigint" }).notNull().default(sql`0`),
    /** When the next fetch is due; null while there is nothing to fetch. */
    refreshAt: moment("refresh_at"),
    refreshFailures: integer("refresh_failures").notNull().default(0),
    /** Cause without payload. */
    refreshError: text("refresh_error"),
    fetchedAt: moment("fetched_at"),
    leaseToken: uuid("lease_token"),
    leaseUntil: moment("lease_until"),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account, table.subscription] }),
    index("subscriptions_refresh").on(table.refreshAt).where(sql`refresh_at is not null`),
    index("subscriptions_customer").on(table.sourceId, table.account, table.customer),
    check("subscriptions_state_source", oneOf(table.stateSource, STATE_SOURCES)),
    check("subscriptions_state", sql`(${table.status} is null) = (${table.stateSource} is null)`),
    check("subscriptions_marks", sql`${table.marks} >= ${table.fetchedMarks}`),
    check("subscriptions_lease", sql`(${table.leaseToken} is null) = (${table.leaseUntil} is null)`),
  ],
);

/** Transactions of payments senders: by version where there is one, else by a rule that never goes back. */
export const transactions = pgTable(
  "transactions",
  {
    ...key(),
    transaction: text("transaction").notNull(),
    ...state(),
    /** Minor units, with the currency. */
    amount: bigint("amount", { mode: "bigint" }),
    currency: text("currency"),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account, table.transaction] }),
    check("transactions_state_source", oneOf(table.stateSource, STATE_SOURCES)),
    check("transactions_state", sql`(${table.status} is null) = (${table.stateSource} is null)`),
  ],
);
