import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { OPERATION_STATUSES } from "../states.ts";
import { bytea, moment, oneOf } from "./columns.ts";

/** One row per running process that takes part; the heartbeat says whether it still does. */
export const workers = pgTable(
  "workers",
  {
    id: uuid("id").primaryKey(),
    /** web, worker, or alone: a worker's child for rows at which a process died */
    role: text("role").notNull(),
    host: text("host").notNull(),
    pid: integer("pid").notNull(),
    version: text("version").notNull(),
    startedAt: moment("started_at").notNull().defaultNow(),
    seenAt: moment("seen_at").notNull().defaultNow(),
    /** Set by an orderly stop. */
    stoppedAt: moment("stopped_at"),
  },
  (table) => [index("workers_seen").on(table.seenAt)],
);

/**
 * The rows that a worker has at work, one row per lane of work and committed apart from the work itself: what is still
 * pending of them when the worker is gone may be what killed it. A row is written over by the lane's next batch.
 */
export const inboxClaims = pgTable(
  "inbox_claims",
  {
    workerId: uuid("worker_id").notNull(),
    slot: smallint("slot").notNull(),
    eventIds: uuid("event_ids").array().notNull(),
    /** A single row in a process of its own. */
    alone: boolean("alone").notNull(),
    /** Whether the worker holds its advisory lock: then the lock says whether it lives, else its heartbeat alone. */
    locked: boolean("locked").notNull(),
    claimedAt: moment("claimed_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.workerId, table.slot] })],
);

/** What the supervisor saw: children that died and were started again. */
export const processEvents = pgTable(
  "process_events",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment("at").notNull().defaultNow(),
    /** database, web or worker */
    process: text("process").notNull(),
    host: text("host").notNull(),
    what: text("what").notNull(),
    exitCode: integer("exit_code"),
    signal: text("signal"),
  },
  (table) => [
    index("process_events_at").on(table.at),
    check("process_events_what", sql`${table.what} in ('died', 'restarted')`),
  ],
);

/** Who changed what, in the transaction of the change. Append-only: a trigger refuses updates and deletes. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment("at").notNull().defaultNow(),
    actor: text("actor").notNull(),
    action: text("action").notNull(),
    /** What was changed, for example source:stripe. */
    target: text("target").notNull(),
    reason: text("reason"),
    before: jsonb("before"),
    after: jsonb("after"),
  },
  (table) => [
    index("audit_entries_at").on(table.at),
    index("audit_entries_target").on(table.target, table.id),
  ],
);

/** What a person or a script set in motion: the replay of one event, or a bulk action over frozen items. */
export const operations = pgTable(
  "operations",
  {
    id: uuid("id").primaryKey(),
    action: text("action").notNull(),
    actor: text("actor").notNull(),
    reason: text("reason").notNull(),
    status: text("status", { enum: OPERATION_STATUSES }).notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    finishedAt: moment("finished_at"),
    /** Of a bulk action, as it was asked for; null for a single replay, like all that follows. */
    filter: jsonb("filter"),
    /** How many items were frozen: what was confirmed. */
    itemCount: integer("item_count"),
    /** SHA-256 of the token that starts it, and until when. */
    tokenDigest: bytea("token_digest"),
    tokenExpiresAt: moment("token_expires_at"),
    /** Until then it can be undone as a whole. */
    startsAt: moment("starts_at"),
    /** When a worker took it up. */
    startedAt: moment("started_at"),
    /** Items by verdict, once it has ended; until then they are counted. */
    totals: jsonb("totals"),
    cancelledBy: text("cancelled_by"),
  },
  (table) => [
    index("operations_created").on(table.createdAt, table.id),
    index("operations_open").on(table.startsAt).where(sql`status in ('frozen', 'running')`),
    index("operations_token").on(table.tokenDigest),
    check("operations_status", oneOf(table.status, OPERATION_STATUSES)),
    check(
      "operations_finished",
      sql`(${table.status} in ('frozen', 'running')) = (${table.finishedAt} is null)`,
    ),
  ],
);

/** What an operation covers, fixed when it was frozen. Each gets one verdict, in the transaction of its action. */
export const operationItems = pgTable(
  "operation_items",
  {
    operationId: uuid("operation_id")
      .notNull()
      .references(() => operations.id),
    /** The order in which they are taken; 1 to the operation's item_count. */
    ordinal: integer("ordinal").notNull().default(1),
    inboxEventId: uuid("inbox_event_id"),
    outboxMessageId: uuid("outbox_message_id"),
    /** State and attempts when it was frozen: what changed meanwhile is skipped. */
    was: text("was"),
    wasAttempts: integer("was_attempts"),
    verdict: text("verdict"),
    why: text("why"),
    finishedAt: moment("finished_at"),
  },
  (table) => [
    unique("operation_items_ordinal").on(table.operationId, table.ordinal),
    index("operation_items_open").on(table.operationId, table.ordinal).where(sql`verdict is null`),
    index("operation_items_verdict").on(table.operationId, table.verdict, table.ordinal),
    index("operation_items_event").on(table.inboxEventId),
    check("operation_items_target", sql`num_nonnulls(${table.inboxEventId}, ${table.outboxMessageId}) = 1`),
    check("operation_items_finished", sql`(${table.verdict} is null) = (${table.finishedAt} is null)`),
  ],
);

/** One row: the oldest application version that may run on this schema. */
export const schemaCompatibility = pgTable(
  "schema_compatibility",
  {
    only: integer("only").primaryKey().default(1),
    oldestVersion: text("oldest_version").notNull(),
  },
  (table) => [check("schema_compatibility_one_row", sql`${table.only} = 1`)],
);
