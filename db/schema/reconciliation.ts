import { pgTable, text } from "drizzle-orm/pg-core";
import { bytea, createdAt, moment } from "./columns.ts";
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
