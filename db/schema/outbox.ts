import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, pgTable, text, unique, uuid } from "drizzle-orm/pg-core";
import { CHANNELS, OUTBOX_STATUSES } from "../states.ts";
import { createdAt, moment, oneOf } from "./columns.ts";
import { inboxEvents } from "./inbox.ts";

/** What must leave the house. Written in the transaction of its effect; its content never changes afterwards. */
export const outboxMessages = pgTable(
  "outbox_messages",
  {
    /** UUID version 7; the message's public identity (Message-ID, webhook-id, Nats-Msg-Id). */
    id: uuid("id").primaryKey(),
    /** JSON array [source, account, subject, operation, purpose, destination]. */
    operationKey: text("operation_key").notNull(),
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    subject: text("subject").notNull(),
    operation: text("operation").notNull(),
    topic: text("topic").notNull(),
    channel: text("channel", { enum: CHANNELS }).notNull(),
    destination: text("destination").notNull(),
    status: text("status", { enum: OUTBOX_STATUSES }).notNull().default("pending"),
    /** Rendered once, at the intent: subject and text of an e-mail, body of a call. */
    content: jsonb("content").notNull(),
    inboxEventId: uuid("inbox_event_id").references(() => inboxEvents.id),
    attempts: integer("attempts").notNull().default(0),
    nextAttemptAt: moment("next_attempt_at"),
    /** No attempt is scheduled beyond it. */
    deadlineAt: moment("deadline_at").notNull(),
    lastError: text("last_error"),
    createdAt: createdAt(),
    finishedAt: moment("finished_at"),
  },
  (table) => [
    unique("outbox_messages_operation_key").on(table.operationKey),
    index("outbox_messages_due").on(table.nextAttemptAt).where(sql`status = 'pending'`),
    index("outbox_messages_created").on(table.createdAt, table.id),
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
  ],
);
