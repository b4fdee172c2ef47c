import {
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { FEEDBACK_STATUSES } from "../states.ts";
import { createdAt, moment, oneOf } from "./columns.ts";
import { inboxEvents } from "./inbox.ts";
import { tenants } from "./tenancy.ts";

/** Feedback that a sender told about; `account` is its project. */
export const feedback = pgTable(
  "feedback",
  {
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    feedbackId: text("feedback_id").notNull(),
    tenantId: text("tenant_id")
      .notNull()
      .references(() => tenants.id),
    status: text("status", { enum: FEEDBACK_STATUSES }).notNull().default("new"),
    category: text("category"),
    /** What the person wrote, or its beginning. */
    text: text("text"),
    assignee: text("assignee"),
    /** Moves with every change by a person: what is decided on is the version that was shown. */
    version: integer("version").notNull().default(0),
    /** The event that it came with. */
    inboxEventId: uuid("inbox_event_id")
      .notNull()
      .references(() => inboxEvents.id),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.account, table.feedbackId] }),
    index("feedback_created").on(table.createdAt, table.feedbackId),
    index("feedback_status").on(table.status, table.createdAt),
    check("feedback_status", oneOf(table.status, FEEDBACK_STATUSES)),
  ],
);

/** One per (project, feedback, operation): `initial-alert`, and each escalation under a key of its own. */
export const feedbackAlerts = pgTable(
  "feedback_alerts",
  {
    id: uuid("id").primaryKey(),
    sourceId: text("source_id").notNull(),
    account: text("account").notNull(),
    feedbackId: text("feedback_id").notNull(),
    operation: text("operation").notNull(),
    inboxEventId: uuid("inbox_event_id")
      .notNull()
      .references(() => inboxEvents.id),
    createdAt: createdAt(),
  },
  (table) => [
    unique("feedback_alerts_key").on(table.sourceId, table.account, table.feedbackId, table.operation),
    index("feedback_alerts_event").on(table.inboxEventId),
    foreignKey({
      name: "feedback_alerts_feedback",
      columns: [table.sourceId, table.account, table.feedbackId],
      foreignColumns: [feedback.sourceId, feedback.account, feedback.feedbackId],
    }),
  ],
);
