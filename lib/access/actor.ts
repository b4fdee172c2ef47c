import type { Role } from "#db/states.ts";

/** What a token may do (CONTRACT §9). lib/access/actions.ts says which scope each action wants. */
export const SCOPES = [
  "INBOX_READ",
  "INBOX_REPLAY",
  "OUTBOX_READ",
  "OUTBOX_WRITE",
  "WEBHOOKS_MANAGE",
  "RECONCILE",
  "ALERTS",
  "ADMIN",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Who is at work. A person has a role, which decides; a token has none, and its scopes decide. */
export type Actor = {
  /** As audit entries and attempts name it. */
  name: string;
  scopes: readonly Scope[];
  role?: Role;
  /** The only tenants whose rows it may see; absent or null: all. */
  tenants?: readonly string[] | null;
};

/** The limit that readers apply to their rows. */
export const tenantsOf = (actor: Actor): readonly string[] | null => actor.tenants ?? null;
