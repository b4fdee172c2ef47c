import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import {
  ATTEMPT_KINDS,
  CHANNELS,
  DESTINATION_STATUSES,
  OUTBOX_STATUSES,
  POLICIES,
  SEND_RESULTS,
} from "../states.ts";
import { bytea, createdAt, moment, oneOf } from "./columns.ts";
import { inboxEvents } from "./inbox.ts";
import { tenants } from "./tenancy.ts";

/**
 * Where messages go. The row `email` is built in: confirmations and what owners are told go through it, each to its own
 * address. Never deleted, so that every message keeps the name of its destination.
 */
export const destinations = pgTable(
  "destinations",
  {
    id: text("id").primaryKey(),
    channel: text("channel", { enum: CHANNELS }).notNull(),
    topics: text("topics").array().notNull(),
    /** Null: of all tenants. */
    tenantId: text("tenant_id").references(() => tenants.id),
    /** Slack, webhook and nats. */
    url: text("url"),
    /** An e-mail address, or a nats subject. */
    recipient: text("recipient"),
    secretCiphertext: bytea("secret_ciphertext"),
    secretKeyId: text("secret_key_id"),
    secretFingerprint: text("secret_fingerprint"),
    policy: text("policy", { enum: POLICIES }).notNull(),
    /** E-mail address of whoever is told when a message is given up; null for the built-in row alone. */
    owner: text("owner"),
    status: text("status", { enum: DESTINATION_STATUSES }).notNull().default("active"),
    statusReason: text("status_reason"),
    /** Calls at the same time at the most, over all dispatchers. */
    concurrency: integer("concurrency").notNull().default(8),
    /** Since when nobody could send here (paused, or no mail server): that time does not count. */
    heldSince: moment("held_since"),
    /** Failures of different messages in a row; enough of them open the breaker. */
    failures: integer("failures").notNull().default(0),
    /** Breaker: since when it is open, why, how often it was probed, and when the next probe may leave. */
    brokenSince: moment("broken_since"),
    brokenWhy: text("broken_why"),
    probes: integer("probes").notNull().default(0),
    probeAt: moment("probe_at"),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    check("destinations_channel", oneOf(table.channel, CHANNELS)),
    check("destinations_policy", oneOf(table.policy, POLICIES)),
    check("destinations_status", oneOf(table.status, DESTINATION_STATUSES)),
    check("destinations_concurrency", sql`${table.concurrency} between 1 and 1000`),
    check(
      "destinations_breaker",
      sql`(${table.brokenSince} is null) = (${table.probeAt} is null) and (${table.brokenSince} is null) = (${table.brokenWhy} is null)`,
    ),
    check(
      "destinations_secret",
      sql`(${table.secretCiphertext} is null) = (${table.secretKeyId} is null) and (${table.secretCiphertext} is null) = (${table.secretFingerprint} is null)`,
    ),
  ],
);

/** What must leave the house. Written in the transaction of its effect; its content never changes afterwards. */
export const outboxMessages = pgTable(
  "outbox_messages",
  {
    /** UUID version 7; the message's public identity (Message-ID, webhook-id, Nats-Msg-Id). */
    id: uuid("id").primaryKey(),
    /** JSON array [source, account, subject, operation, purpose, destination]; [message, "abandoned"] for an owner's notice. */
    operationKey: text("operation_key").notNull(),
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    subject: text("subject").notNull(),
    operation: text("operation").notNull(),
    topic: text("topic").notNull(),
    channel: text("channel", { enum: CHANNELS }).notNull(),
    /** As people know it: the address of a built-in e-mail, else the destination's id. */
    destination: text("destination").notNull(),
    /** The row of destinations that it goes through. */
    destinationId: text("destination_id").notNull().default("email"),
    status: text("status", { enum: OUTBOX_STATUSES }).notNull().default("pending"),
    /** Rendered once, at the intent: subject and text of an e-mail, body of a call. */
    content: jsonb("content").notNull(),
    inboxEventId: uuid("inbox_event_id").references(() => inboxEvents.id),
    /** Calls that were held against it, and how many of its dispatchers died in a row. */
    attempts: integer("attempts").notNull().default(0),
    crashes: integer("crashes").notNull().default(0),
    /** Moves with every transition: what a person decides on is the version that was shown. */
    version: integer("version").notNull().default(0),
    nextAttemptAt: moment("next_attempt_at"),
    /** No attempt is scheduled beyond it. */
    deadlineAt: moment("deadline_at").notNull(),
    /** A person asked for one more attempt, whatever the deadline. */
    forced: boolean("forced").notNull().default(false),
    /** Whose it is, and until when. The token stays with an unknown message, so that a late answer finds it. */
    leaseToken: uuid("lease_token"),
    leaseUntil: moment("lease_until"),
    leasedBy: uuid("leased_by"),
    /** Committed before the first byte may leave; null while it is only prepared. */
    callStartedAt: moment("call_started_at"),
    /** When its key was first shown to the destination: the key's promised lifetime runs from here. */
    firstCallAt: moment("first_call_at"),
    /** An attempt ended with nobody knowing: the destination may have it. */
    ambiguous: boolean("ambiguous").notNull().default(false),
    lastError: text("last_error"),
    createdAt: createdAt(),
    finishedAt: moment("finished_at"),
  },
  (table) => [
    unique("outbox_messages_operation_key").on(table.operationKey),
    index("outbox_messages_lane").on(table.destinationId, table.nextAttemptAt).where(sql`status = 'pending'`),
    index("outbox_messages_leased").on(table.leaseUntil).where(sql`status = 'sending'`),
    index("outbox_messages_review").on(table.createdAt, table.id).where(sql`status = 'unknown'`),
    index("outbox_messages_due").on(table.nextAttemptAt).where(sql`status = 'pending'`),
    index("outbox_messages_created").on(table.createdAt, table.id),
    index("outbox_messages_destination").on(table.destinationId, table.createdAt, table.id),
    index("outbox_messages_subject").on(table.sourceId, table.account, table.subject),
    check("outbox_messages_channel", oneOf(table.channel, CHANNELS)),
    check("outbox_messages_status", oneOf(table.status, OUTBOX_STATUSES)),
    check(
      "outbox_messages_pending",
      sql`(${table.status} = 'pending') = (${table.nextAttemptAt} is not null)`,
    ),
    check(
      "outbox_messages_finished",
      sql`(${table.status} in ('sent', 'rejected', 'abandoned', 'cancelled')) = (${table.finishedAt} is not null)`,
    ),
    check(
      "outbox_messages_leased",
      sql`(${table.status} = 'sending') = (${table.leaseUntil} is not null) and (${table.status} <> 'sending' or ${table.leaseToken} is not null)`,
    ),
    check("outbox_messages_call_started", sql`${table.callStartedAt} is null or ${table.status} = 'sending'`),
  ],
);

/** The history of a message: what was tried, what came of it, who decided. Rows are added, never overwritten. */
export const outboxAttempts = pgTable(
  "outbox_attempts",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    messageId: uuid("message_id")
      .notNull()
      .references(() => outboxMessages.id),
    kind: text("kind", { enum: ATTEMPT_KINDS }).notNull(),
    result: text("result", { enum: SEND_RESULTS }).notNull(),
    /** One sentence, without payload and secrets. */
    why: text("why"),
    leaseToken: uuid("lease_token"),
    workerId: uuid("worker_id"),
    startedAt: moment("started_at").notNull(),
    finishedAt: moment("finished_at").notNull(),
    /** What the destination answered: its status, and the first 4 KB. */
    statusCode: integer("status_code"),
    responseBody: text("response_body"),
    /** What else is known: bytes written, remote address, the key used. Plain JSON. */
    evidence: jsonb("evidence"),
    actor: text("actor"),
    reason: text("reason"),
  },
  (table) => [
    index("outbox_attempts_message").on(table.messageId, table.id),
    check("outbox_attempts_kind", oneOf(table.kind, ATTEMPT_KINDS)),
    check("outbox_attempts_result", oneOf(table.result, SEND_RESULTS)),
    check(
      "outbox_attempts_decision",
      sql`(${table.kind} = 'decision') = (${table.actor} is not null) and (${table.kind} = 'decision') = (${table.reason} is not null)`,
    ),
  ],
);
