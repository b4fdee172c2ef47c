import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { ROLES } from "../states.ts";
import { bytea, createdAt, moment, oneOf } from "./columns.ts";

const inet = customType<{ data: string }>({ dataType: () => "inet" });

/** People. Names of properties here and in the next four tables are those that better-auth's adapter looks for. */
export const accessUsers = pgTable(
  "access_users",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    /** Lower case. */
    email: text("email").notNull(),
    emailVerified: boolean("email_verified").notNull().default(false),
    image: text("image"),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
    twoFactorEnabled: boolean("two_factor_enabled").notNull().default(false),
    role: text("role", { enum: ROLES }).notNull().default("viewer"),
    /** The only tenants whose rows this person sees; null: all. */
    tenants: text("tenants").array(),
    disabledAt: moment("disabled_at"),
    /** A one-time password opens nothing but the page on which it is replaced. */
    mustChangePassword: boolean("must_change_password").notNull().default(false),
  },
  (table) => [
    unique("access_users_email_unique").on(table.email),
    check("access_users_role", oneOf(table.role, ROLES)),
    check("access_users_email", sql`${table.email} = lower(${table.email})`),
  ],
);

export const accessSessions = pgTable(
  "access_sessions",
  {
    id: text("id").primaryKey(),
    token: text("token").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => accessUsers.id, { onDelete: "cascade" }),
    expiresAt: moment("expires_at").notNull(),
    ipAddress: text("ip_address"),
    userAgent: text("user_agent"),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    unique("access_sessions_token_unique").on(table.token),
    index("access_sessions_user").on(table.userId),
  ],
);

/** How a person signs in: providerId `credential` with a password's hash, or the identity provider's. */
export const accessAccounts = pgTable(
  "access_accounts",
  {
    id: text("id").primaryKey(),
    accountId: text("account_id").notNull(),
    providerId: text("provider_id").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => accessUsers.id, { onDelete: "cascade" }),
    accessToken: text("access_token"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
    accessTokenExpiresAt: moment("access_token_expires_at"),
    refreshTokenExpiresAt: moment("refresh_token_expires_at"),
    scope: text("scope"),
    password: text("password"),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [
    unique("access_accounts_key").on(table.providerId, table.accountId),
    index("access_accounts_user").on(table.userId),
  ],
);

/** Sign-ins under way: states of a provider's round trip, challenges of a second factor. */
export const accessVerifications = pgTable(
  "access_verifications",
  {
    id: text("id").primaryKey(),
    identifier: text("identifier").notNull(),
    value: text("value").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: createdAt(),
    updatedAt: moment("updated_at").notNull().defaultNow(),
  },
  (table) => [index("access_verifications_identifier").on(table.identifier)],
);

/** Secrets of authenticator apps and backup codes, encrypted under a key made from SECRET_KEY. */
export const accessTwoFactors = pgTable(
  "access_two_factors",
  {
    id: text("id").primaryKey(),
    secret: text("secret").notNull(),
    backupCodes: text("backup_codes").notNull(),
    userId: text("user_id")
      .notNull()
      .references(() => accessUsers.id, { onDelete: "cascade" }),
    verified: boolean("verified").notNull().default(true),
    failedVerificationCount: integer("failed_verification_count").notNull().default(0),
    lockedUntil: moment("locked_until"),
  },
  (table) => [index("access_two_factors_user").on(table.userId)],
);

/** A link that lets somebody in for the first time, or set a new password. Its token is shown once. */
export const accessInvitations = pgTable(
  "access_invitations",
  {
    id: uuid("id").primaryKey(),
    /** SHA-256 of the token: 256 random bits need no slow hash. */
    tokenHash: bytea("token_hash").notNull(),
    email: text("email").notNull(),
    /** Whose password it replaces; null: somebody new. */
    userId: text("user_id").references(() => accessUsers.id, { onDelete: "cascade" }),
    role: text("role", { enum: ROLES }).notNull(),
    tenants: text("tenants").array(),
    invitedBy: text("invited_by").notNull(),
    createdAt: createdAt(),
    expiresAt: moment("expires_at").notNull(),
    acceptedAt: moment("accepted_at"),
    revokedAt: moment("revoked_at"),
  },
  (table) => [
    unique("access_invitations_token_hash_unique").on(table.tokenHash),
    check("access_invitations_role", oneOf(table.role, ROLES)),
    index("access_invitations_email").on(table.email),
  ],
);

/** Tokens of the HTTP API. Shown once; only the hash stays. */
export const accessTokens = pgTable(
  "access_tokens",
  {
    id: uuid("id").primaryKey(),
    name: text("name").notNull(),
    tokenHash: bytea("token_hash").notNull(),
    /** The first characters, by which a person recognises it. */
    prefix: text("prefix").notNull(),
    scopes: text("scopes").array().notNull(),
    tenants: text("tenants").array(),
    createdBy: text("created_by").notNull(),
    createdAt: createdAt(),
    expiresAt: moment("expires_at"),
    /** To the minute. */
    lastUsedAt: moment("last_used_at"),
    lastUsedFrom: inet("last_used_from"),
    revokedAt: moment("revoked_at"),
  },
  (table) => [
    unique("access_tokens_token_hash_unique").on(table.tokenHash),
    index("access_tokens_created").on(table.createdAt),
  ],
);

/** Failed sign-ins by address and by person; the columns are those of rate-limiter-flexible. */
export const accessAttempts = pgTable("access_attempts", {
  key: text("key").primaryKey(),
  points: integer("points").notNull().default(0),
  expire: bigint("expire", { mode: "number" }),
});
