import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from "drizzle-orm/pg-core";
import { REJECTION_REASONS, SOURCE_KINDS, SOURCE_STATUSES } from "../states.ts";
import { bytea, createdAt, moment, oneOf } from "./columns.ts";

const inet = customType<{ data: string }>({ dataType: () => "inet" });

/** A sender that is pointed at /api/webhooks/{id}. */
export const sources = pgTable(
  "sources",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: SOURCE_KINDS }).notNull(),
    name: text("name").notNull(),
    /** A paused source keeps receiving; only its processing is held. */
    status: text("status", { enum: SOURCE_STATUSES }).notNull().default("active"),
    /** Since when it is paused, and for how long it was in all before; kept by a trigger, whoever changes the status. */
    pausedAt: moment("paused_at"),
    pausedSeconds: doublePrecision("paused_seconds").notNull().default(0),
    /** The sender contract of contract-driven kinds (lib/sources/contract.ts), else null. */
    contract: jsonb("contract"),
    /** While it lies ahead, requests that cannot be verified yet are kept in source_captures. */
    captureUntil: moment("capture_until"),
    /** lib/sources/settings.ts */
    settings: jsonb("settings").notNull().default({}),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    check("sources_id", sql`${table.id} ~ '^[a-z0-9][a-z0-9-]{0,62}$'`),
    check("sources_kind", oneOf(table.kind, SOURCE_KINDS)),
    check("sources_status", oneOf(table.status, SOURCE_STATUSES)),
  ],
);

/** Signing secrets, encrypted under SECRET_KEY. Several may be valid at once while one is being rotated. */
export const sourceSecrets = pgTable(
  "source_secrets",
  {
    id: uuid("id").primaryKey(),
    sourceId: text("source_id")
      .notNull()
      .references(() => sources.id),
    ciphertext: bytea("ciphertext").notNull(),
    /** Which SECRET_KEY encrypted it. */
    keyId: text("key_id").notNull(),
    /** First 8 hex digits of a keyed hash: tells two secrets apart and gives neither away. */
    fingerprint: text("fingerprint").notNull(),
    createdAt: createdAt(),
    /** End of the overlap after a rotation; null is the current secret. */
    expiresAt: moment("expires_at"),
  },
  (table) => [index("source_secrets_source").on(table.sourceId)],
);

/** Sampled requests that were turned away. Never the body, never a secret. */
export const rejections = pgTable(
  "rejections",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    at: moment("at").notNull().defaultNow(),
    /** Text, not a reference: the source may not exist. */
    sourceId: text("source_id").notNull(),
    reason: text("reason", { enum: REJECTION_REASONS }).notNull(),
    /** What the reason alone does not say, for example the measured skew of a stale timestamp. */
    detail: text("detail"),
    remoteAddress: inet("remote_address"),
    bytes: integer("bytes"),
  },
  (table) => [
    check("rejections_reason", oneOf(table.reason, REJECTION_REASONS)),
    index("rejections_at").on(table.at),
  ],
);

/** Every rejection is counted, also those that the sampled log leaves out. */
export const rejectionCounts = pgTable(
  "rejection_counts",
  {
    sourceId: text("source_id").notNull(),
    reason: text("reason", { enum: REJECTION_REASONS }).notNull(),
    hour: moment("hour").notNull(),
    count: bigint("count", { mode: "bigint" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.reason, table.hour] })],
);

/** Unverified requests that an admin asked to keep while a sender's contract is being learned. Never processable. */
export const sourceCaptures = pgTable(
  "source_captures",
  {
    id: uuid("id").primaryKey(),
    sourceId: text("source_id")
      .notNull()
      .references(() => sources.id),
    at: moment("at").notNull().defaultNow(),
    method: text("method").notNull(),
    query: text("query").notNull(),
    headers: jsonb("headers").notNull(),
    body: bytea("body").notNull(),
  },
  (table) => [index("source_captures_source").on(table.sourceId, table.at)],
);
