import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  date,
  doublePrecision,
  foreignKey,
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
import {
  CONFLICT_RESOLUTIONS,
  FAILURE_CLASSES,
  INBOX_STATUSES,
  MODES,
  OUTCOMES,
  WAITS_KINDS,
} from "../states.ts";
import { bytea, createdAt, moment, oneOf } from "./columns.ts";
import { sources } from "./sources.ts";

/**
 * One row per event key: slim, and kept. The unique key answers "have I accepted this event?"; every part of it is
 * NOT NULL, because NULLs are never equal and would let a twin in.
 */
export const inboxEvents = pgTable(
  "inbox_events",
  {
    /** UUID version 7: ordered by time of receipt, so that (received_at, id) pages well. */
    id: uuid("id").primaryKey(),
    sourceId: text("source_id")
      .notNull()
      .references(() => sources.id),
    account: text("account").notNull(),
    eventId: text("event_id").notNull(),
    type: text("type").notNull(),
    mode: text("mode", { enum: MODES }).notNull(),
    /** The thing a person would ask for: invoice, transaction, feedback or subscription id. */
    subject: text("subject"),
    apiVersion: text("api_version"),
    status: text("status", { enum: INBOX_STATUSES }).notNull(),
    outcome: text("outcome", { enum: OUTCOMES }),
    failureClass: text("failure_class", { enum: FAILURE_CLASSES }),
    waitsKind: text("waits_kind", { enum: WAITS_KINDS }),
    waitsKey: text("waits_key"),
    /** One sentence for people: why it is in this state. */
    why: text("why"),
    attempts: integer("attempts").notNull().default(0),
    /** Attempts of the present retry round, and its first; replay, release and re-arming start a new round. */
    roundAttempts: integer("round_attempts").notNull().default(0),
    roundStartedAt: moment("round_started_at"),
    /** Its source's paused_seconds when the round started: the difference to now does not count into the round. */
    roundPausedSeconds: doublePrecision("round_paused_seconds"),
    /** Which queue it is worked from while it is pending (lib/inbox/lanes.ts). */
    lane: smallint("lane").notNull().default(0),
    /** Processes that it took down while it was at work alone. */
    crashes: smallint("crashes").notNull().default(0),
    nextAttemptAt: moment("next_attempt_at"),
    /** Cause without payload. */
    lastError: text("last_error"),
    /** SHA-256 of the identity that the adapter names; outlives the body. */
    contentDigest: bytea("content_digest").notNull(),
    /** SHA-256 of the bytes as received. */
    bodyDigest: bytea("body_digest").notNull(),
    bodyBytes: integer("body_bytes").notNull(),
    /** Partition of inbox_bodies that holds the body. */
    bodyExpiresOn: date("body_expires_on", { mode: "string" }).notNull(),
    /** Which secret verified it. */
    secretFingerprint: text("secret_fingerprint"),
    traceparent: text("traceparent"),
    /** How the first delivery came: from the sender, or put in by a reconciliation. */
    origin: text("origin").notNull().default("webhook"),
    receivedAt: moment("received_at").notNull().defaultNow(),
    finishedAt: moment("finished_at"),
  },
  (table) => [
    unique("inbox_events_key").on(table.sourceId, table.account, table.eventId),
    // The worker's way in. Ten million done rows are not in it.
    index("inbox_events_queue")
      .on(table.sourceId, table.lane, table.nextAttemptAt)
      .where(sql`status = 'pending'`),
    index("inbox_events_waiting")
      .on(table.sourceId, table.waitsKind, table.waitsKey)
      .where(sql`status = 'waiting'`),
    index("inbox_events_attention")
      .on(table.receivedAt, table.id)
      .where(sql`status in ('failed', 'quarantined')`),
    index("inbox_events_closed")
      .on(table.receivedAt, table.id)
      .where(sql`status in ('ignored', 'dismissed')`),
    index("inbox_events_received").on(table.receivedAt, table.id),
    index("inbox_events_source").on(table.sourceId, table.receivedAt, table.id),
    index("inbox_events_subject").on(table.subject, table.receivedAt),
    index("inbox_events_event_id").on(table.eventId),
    check("inbox_events_mode", oneOf(table.mode, MODES)),
    check("inbox_events_status", oneOf(table.status, INBOX_STATUSES)),
    check("inbox_events_outcome", oneOf(table.outcome, OUTCOMES)),
    check("inbox_events_done", sql`(${table.status} = 'done') = (${table.outcome} is not null)`),
    check("inbox_events_failed", sql`(${table.status} = 'failed') = (${table.failureClass} is not null)`),
    check("inbox_events_failure_class", oneOf(table.failureClass, FAILURE_CLASSES)),
    check("inbox_events_waits_kind", oneOf(table.waitsKind, WAITS_KINDS)),
    check(
      "inbox_events_waiting",
      sql`(${table.status} = 'waiting') = (${table.waitsKind} is not null) and (${table.waitsKind} is null) = (${table.waitsKey} is null)`,
    ),
    check("inbox_events_pending", sql`(${table.status} = 'pending') = (${table.nextAttemptAt} is not null)`),
    check(
      "inbox_events_finished",
      sql`(${table.status} in ('done', 'ignored', 'dismissed')) = (${table.finishedAt} is not null)`,
    ),
    check(
      "inbox_events_attempts",
      sql`${table.attempts} >= ${table.roundAttempts} and ${table.roundAttempts} >= 0`,
    ),
    check(
      "inbox_events_digests",
      sql`length(${table.contentDigest}) = 32 and length(${table.bodyDigest}) = 32`,
    ),
  ],
);

/**
 * The bytes as received, apart from the slim key rows. Partitioned by the day on which they expire (a retention
 * class is a number of days added at receipt), so that every class expires by dropping whole partitions.
 * The migration makes it a partitioned table; drizzle has no word for that.
 */
export const inboxBodies = pgTable(
  "inbox_bodies",
  {
    expiresOn: date("expires_on", { mode: "string" }).notNull(),
    inboxEventId: uuid("inbox_event_id").notNull(),
    body: bytea("body").notNull(),
    /** Headers of an allow-list; while a contract is unconfirmed all but credentials, for the id may be in any of them. */
    headers: jsonb("headers").notNull(),
  },
  (table) => [primaryKey({ columns: [table.expiresOn, table.inboxEventId] })],
);

/** Further deliveries of one event, the newest 50. No foreign key: it would lock the row that the worker holds. */
export const inboxDeliveries = pgTable(
  "inbox_deliveries",
  {
    inboxEventId: uuid("inbox_event_id").notNull(),
    /** 2 is the first repetition; 1 is the event's own row. */
    ordinal: bigint("ordinal", { mode: "number" }).notNull(),
    receivedAt: moment("received_at").notNull().defaultNow(),
    origin: text("origin").notNull(),
    bodyDigest: bytea("body_digest").notNull(),
    /** Only where the bytes differ from the first delivery's. */
    body: bytea("body"),
  },
  (table) => [primaryKey({ columns: [table.inboxEventId, table.ordinal] })],
);

/** How often an event was delivered in all; a row exists from the second delivery on. */
export const inboxDeliveryCounts = pgTable("inbox_delivery_counts", {
  inboxEventId: uuid("inbox_event_id").primaryKey(),
  count: bigint("count", { mode: "number" }).notNull(),
});

/** Other content that came under an accepted event key. The first stays what it was. */
export const inboxConflicts = pgTable(
  "inbox_conflicts",
  {
    id: uuid("id").primaryKey(),
    inboxEventId: uuid("inbox_event_id").notNull(),
    contentDigest: bytea("content_digest").notNull(),
    body: bytea("body").notNull(),
    headers: jsonb("headers").notNull(),
    why: text("why").notNull(),
    receivedAt: moment("received_at").notNull().defaultNow(),
    /** How often this content came. */
    seen: integer("seen").notNull().default(1),
    resolvedAt: moment("resolved_at"),
    resolvedBy: text("resolved_by"),
    /** How it was closed; `replaced` is what had been processed until another content was accepted. */
    resolution: text("resolution", { enum: CONFLICT_RESOLUTIONS }),
    reason: text("reason"),
  },
  (table) => [
    unique("inbox_conflicts_content").on(table.inboxEventId, table.contentDigest),
    index("inbox_conflicts_open").on(table.inboxEventId).where(sql`resolved_at is null`),
    check("inbox_conflicts_resolution", oneOf(table.resolution, CONFLICT_RESOLUTIONS)),
  ],
);

/** The verdict of each effect of an event. */
export const inboxEffects = pgTable(
  "inbox_effects",
  {
    inboxEventId: uuid("inbox_event_id").notNull(),
    effect: text("effect").notNull(),
    outcome: text("outcome", { enum: OUTCOMES }).notNull(),
    why: text("why").notNull(),
    /** The receipt whose processing made the effect, where it was another one. */
    byEventId: uuid("by_event_id"),
    at: moment("at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.inboxEventId, table.effect] }),
    foreignKey({
      name: "inbox_effects_event",
      columns: [table.inboxEventId],
      foreignColumns: [inboxEvents.id],
    }),
    check("inbox_effects_outcome", oneOf(table.outcome, OUTCOMES)),
  ],
);

export const ATTEMPT_KINDS = ["process", "replay"] as const;

/** One row per try, never overwritten. */
export const inboxAttempts = pgTable(
  "inbox_attempts",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    inboxEventId: uuid("inbox_event_id").notNull(),
    kind: text("kind", { enum: ATTEMPT_KINDS }).notNull(),
    startedAt: moment("started_at").notNull(),
    finishedAt: moment("finished_at").notNull(),
    /** The status it led to: the event's, or for a replay of a done row the verdict. */
    result: text("result").notNull(),
    /** One sentence; for a failure the cause, without payload. */
    why: text("why"),
    workerId: uuid("worker_id"),
    /** Who asked for a replay, and why. */
    actor: text("actor"),
    reason: text("reason"),
    operationId: uuid("operation_id"),
  },
  (table) => [
    index("inbox_attempts_event").on(table.inboxEventId, table.id),
    check("inbox_attempts_kind", oneOf(table.kind, ATTEMPT_KINDS)),
    check("inbox_attempts_actor", sql`(${table.kind} = 'replay') = (${table.actor} is not null)`),
  ],
);

/** What people write beside an invoice or an event. */
export const notes = pgTable(
  "notes",
  {
    id: uuid("id").primaryKey(),
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    subject: text("subject").notNull(),
    author: text("author").notNull(),
    text: text("text").notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("notes_subject").on(table.sourceId, table.account, table.subject, table.createdAt)],
);

/**
 * First body per account of senders whose signature covers no event id: the same bytes under a new id are a suspected
 * replay. The unique key arbitrates between two such requests at once.
 */
export const inboxBodyGuards = pgTable(
  "inbox_body_guards",
  {
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    bodyDigest: bytea("body_digest").notNull(),
    eventId: text("event_id").notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.account, table.bodyDigest] })],
);
