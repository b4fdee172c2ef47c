import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { GAP_CLASSES, GAP_STATUSES, RUN_STATUSES, RUN_TRIGGERS } from "../states.ts";
import { bytea, createdAt, moment, oneOf } from "./columns.ts";
import { sources } from "./sources.ts";

/**
 * What a source's sender asks of us when we call its API: to list, to fetch, to ask for redelivery. Encrypted under
 * SECRET_KEY like its signing secrets, and never given back.
 */
export const sourceCredentials = pgTable("source_credentials", {
  sourceId: text("source_id")
    .primaryKey()
    .references(() => sources.id),
  ciphertext: bytea("ciphertext").notNull(),
  /** Which SECRET_KEY encrypted it. */
  keyId: text("key_id").notNull(),
  /** First 8 hex digits of a keyed hash. */
  fingerprint: text("fingerprint").notNull(),
  /** Where the sender's API is, without a slash at the end; null is the kind's own address. */
  baseUrl: text("base_url"),
  createdAt: createdAt(),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});

/** One comparison of a sender's list with what is here, over a window of the sender's time. */
export const reconciliationRuns = pgTable(
  "reconciliation_runs",
  {
    /** UUID version 7. */
    id: uuid("id").primaryKey(),
    sourceId: text("source_id")
      .notNull()
      .references(() => sources.id),
    trigger: text("trigger", { enum: RUN_TRIGGERS }).notNull(),
    actor: text("actor").notNull(),
    reason: text("reason"),
    /** From is inside, to is outside. */
    windowFrom: moment("window_from").notNull(),
    windowTo: moment("window_to").notNull(),
    /** What it finds and can repair, it repairs. */
    repair: boolean("repair").notNull(),
    /** Repair by asking the sender to deliver again, where it can. Else a receipt is put in. */
    redeliver: boolean("redeliver").notNull().default(false),
    /** Repair these gaps alone; null: all. */
    onlyGaps: uuid("only_gaps").array(),
    status: text("status", { enum: RUN_STATUSES }).notNull().default("pending"),
    /** Where it goes on: committed together with what was found up to there. lib/reconcile/progress.ts */
    progress: jsonb("progress"),
    pages: integer("pages").notNull().default(0),
    objects: integer("objects").notNull().default(0),
    entries: integer("entries").notNull().default(0),
    gapsFound: integer("gaps_found").notNull().default(0),
    gapsRepaired: integer("gaps_repaired").notNull().default(0),
    gapsClosed: integer("gaps_closed").notNull().default(0),
    /** What keeps it from being a full pass, one sentence each. */
    warnings: text("warnings").array().notNull().default(sql`'{}'`),
    /** Failures in a row: progress sets it back. */
    failures: integer("failures").notNull().default(0),
    nextAttemptAt: moment("next_attempt_at"),
    lastError: text("last_error"),
    leaseToken: uuid("lease_token"),
    leaseUntil: moment("lease_until"),
    cancelRequestedAt: moment("cancel_requested_at"),
    createdAt: createdAt(),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
  },
  (table) => [
    // One run of a source at a time, whatever the workers believe.
    uniqueIndex("reconciliation_runs_running").on(table.sourceId).where(sql`status = 'running'`),
    index("reconciliation_runs_open").on(table.createdAt).where(sql`status in ('pending', 'running')`),
    index("reconciliation_runs_source").on(table.sourceId, table.createdAt, table.id),
    index("reconciliation_runs_created").on(table.createdAt, table.id),
    check("reconciliation_runs_trigger", oneOf(table.trigger, RUN_TRIGGERS)),
    check("reconciliation_runs_status", oneOf(table.status, RUN_STATUSES)),
    check("reconciliation_runs_window", sql`${table.windowFrom} < ${table.windowTo}`),
    check(
      "reconciliation_runs_pending",
      sql`(${table.status} = 'pending') = (${table.nextAttemptAt} is not null)`,
    ),
    check(
      "reconciliation_runs_leased",
      sql`(${table.status} = 'running') = (${table.leaseToken} is not null) and (${table.leaseToken} is null) = (${table.leaseUntil} is null)`,
    ),
    check(
      "reconciliation_runs_finished",
      sql`(${table.status} in ('done', 'failed', 'cancelled')) = (${table.finishedAt} is not null)`,
    ),
  ],
);

/** What a run has seen in the sender's list, while it lasts: an entry that is not among it needs a look. */
export const reconciliationSeen = pgTable(
  "reconciliation_seen",
  {
    runId: uuid("run_id")
      .notNull()
      .references(() => reconciliationRuns.id),
    account: text("account").notNull(),
    subject: text("subject").notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.account, table.subject] })],
);

/** Where sender, receipts, entries and intents disagree about one thing. */
export const reconciliationGaps = pgTable(
  "reconciliation_gaps",
  {
    id: uuid("id").primaryKey(),
    sourceId: text("source_id")
      .notNull()
      .references(() => sources.id),
    account: text("account").notNull(),
    /** The invoice or transaction; for senders that list deliveries alone, the delivery's id. */
    subject: text("subject").notNull(),
    class: text("class", { enum: GAP_CLASSES }).notNull(),
    status: text("status", { enum: GAP_STATUSES }).notNull().default("open"),
    /** One sentence. */
    why: text("why").notNull(),
    /** When the thing happened, on the sender's clock; for what only we have, on ours. */
    happenedAt: moment("happened_at").notNull(),
    /** Whether a reconciliation can repair it; everything else is for a person. */
    repairable: boolean("repairable").notNull(),
    /** The receipt that a repair puts in: bytes and headers; null where it asks the sender to deliver again. */
    receiptBody: bytea("receipt_body"),
    receiptHeaders: jsonb("receipt_headers"),
    /** What the sender knows its delivery by, where it can deliver again. */
    deliveryId: text("delivery_id"),
    firstSeenAt: moment("first_seen_at").notNull().defaultNow(),
    lastSeenAt: moment("last_seen_at").notNull().defaultNow(),
    lastRunId: uuid("last_run_id")
      .notNull()
      .references(() => reconciliationRuns.id),
    /** The newest repair: when, by which run, and the receipt that it put in. */
    repairedAt: moment("repaired_at"),
    repairedBy: uuid("repaired_by").references(() => reconciliationRuns.id),
    inboxEventId: uuid("inbox_event_id"),
    closedAt: moment("closed_at"),
    closedBy: text("closed_by"),
    closedWhy: text("closed_why"),
  },
  (table) => [
    unique("reconciliation_gaps_key").on(table.sourceId, table.account, table.subject, table.class),
    index("reconciliation_gaps_open").on(table.sourceId, table.happenedAt).where(sql`status = 'open'`),
    index("reconciliation_gaps_seen").on(table.firstSeenAt, table.id),
    index("reconciliation_gaps_run").on(table.lastRunId),
    index("reconciliation_gaps_subject").on(table.subject),
    check("reconciliation_gaps_class", oneOf(table.class, GAP_CLASSES)),
    check("reconciliation_gaps_status", oneOf(table.status, GAP_STATUSES)),
    check(
      "reconciliation_gaps_closed",
      sql`(${table.status} = 'open') = (${table.closedAt} is null) and (${table.closedAt} is null) = (${table.closedWhy} is null)`,
    ),
  ],
);
