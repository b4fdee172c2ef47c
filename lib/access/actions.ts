import { ROLES, type Role } from "#db/states.ts";
import { type Actor, SCOPES, type Scope } from "./actor.ts";

type Rule = {
  /** What a token needs. */
  scope: Scope;
  /** Which persons may. */
  roles: readonly Role[];
  /** Whatever asks for it shows and changes only rows of the actor's tenants; all else is for unlimited sight alone. */
  perTenant?: true;
};

const EVERYBODY = ROLES;
const DESK = ["admin", "operator", "support"] as const;
const CREW = ["admin", "operator"] as const;
const ADMIN = ["admin"] as const;

/**
 * Everything that can be done here, and who may: the one table that pages, server actions, API routes and streams
 * ask (CONTRACT §9 and §10). A new page or call names one of these; a new kind of work is one more line.
 */
export const ACTIONS = {
  "overview.read": { scope: "INBOX_READ", roles: EVERYBODY },
  "inbox.read": { scope: "INBOX_READ", roles: DESK },
  "inbox.replay": { scope: "INBOX_REPLAY", roles: DESK },
  "inbox.resolve": { scope: "INBOX_REPLAY", roles: CREW },
  /** A payload as it came, nothing masked. */
  "payload.read": { scope: "INBOX_READ", roles: CREW },
  /** Asking for the masked parts of one event's payload, with a reason, on record. */
  "payload.reveal": { scope: "INBOX_READ", roles: DESK },
  "trace.read": { scope: "INBOX_READ", roles: DESK },
  "notes.write": { scope: "INBOX_REPLAY", roles: DESK },
  "workspaces.read": { scope: "INBOX_READ", roles: DESK },
  "workspaces.write": { scope: "ADMIN", roles: ADMIN },
  "workspaces.correct": { scope: "ADMIN", roles: ADMIN },
  "links.write": { scope: "ADMIN", roles: ADMIN },
  "outbox.read": { scope: "OUTBOX_READ", roles: DESK },
  "outbox.resolve": { scope: "OUTBOX_WRITE", roles: CREW },
  "deliveries.read": { scope: "WEBHOOKS_MANAGE", roles: DESK },
  "deliveries.retry": { scope: "WEBHOOKS_MANAGE", roles: CREW },
  "operations.read": { scope: "INBOX_READ", roles: DESK },
  "operations.run": { scope: "INBOX_REPLAY", roles: CREW },
  "alerts.read": { scope: "ALERTS", roles: EVERYBODY },
  "alerts.write": { scope: "ALERTS", roles: DESK },
  "feedback.read": { scope: "ALERTS", roles: EVERYBODY },
  "reconcile.read": { scope: "RECONCILE", roles: CREW },
  "reconcile.run": { scope: "RECONCILE", roles: CREW },
  "rejections.read": { scope: "INBOX_READ", roles: CREW },
  "processes.read": { scope: "INBOX_READ", roles: CREW },
  "check.run": { scope: "INBOX_READ", roles: CREW },
  "metrics.read": { scope: "INBOX_READ", roles: CREW },
  "sources.read": { scope: "ADMIN", roles: CREW },
  "sources.pause": { scope: "ADMIN", roles: CREW },
  "sources.write": { scope: "ADMIN", roles: ADMIN },
  "destinations.read": { scope: "ADMIN", roles: CREW },
  "destinations.pause": { scope: "ADMIN", roles: CREW },
  "destinations.write": { scope: "ADMIN", roles: ADMIN },
  "users.manage": { scope: "ADMIN", roles: ADMIN },
  "tokens.manage": { scope: "ADMIN", roles: ADMIN },
  "audit.read": { scope: "ADMIN", roles: ADMIN },
  "settings.read": { scope: "ADMIN", roles: ADMIN },
  /** One's own password, second factor and sessions. */
  "account.manage": { scope: "ADMIN", roles: EVERYBODY, perTenant: true },
} as const satisfies Record<string, Rule>;

export type Action = keyof typeof ACTIONS;

/** The action that a call means which names a scope alone. */
const BY_SCOPE = {
  INBOX_READ: "inbox.read",
  INBOX_REPLAY: "inbox.replay",
  OUTBOX_READ: "outbox.read",
  OUTBOX_WRITE: "outbox.resolve",
  WEBHOOKS_MANAGE: "deliveries.retry",
  RECONCILE: "reconcile.run",
  ALERTS: "alerts.read",
  ADMIN: "settings.read",
} as const satisfies Record<Scope, Action>;

/** What a page or call asks for: an action, or a scope and with it that scope's usual action. */
export type Asked = Action | Scope;

export const actionOf = (asked: Asked): Action =>
  asked in ACTIONS ? (asked as Action) : BY_SCOPE[asked as Scope];

/** Whether this actor may do this. A person's role decides, a token's scopes do. Pure. */
export function may({ role, scopes, tenants }: Actor, asked: Asked): boolean {
  const { scope, roles, perTenant }: Rule = ACTIONS[actionOf(asked)];
  if (tenants && !perTenant) return false;
  return role ? roles.includes(role) : scopes.includes(scope);
}

/** The scopes that a role comes to: for what still asks an actor for a scope. */
export function scopesOf(role: Role): Scope[] {
  const rules: Rule[] = Object.values(ACTIONS);
  return SCOPES.filter((scope) => rules.some((rule) => rule.scope === scope && rule.roles.includes(role)));
}

/** Why not, for whoever may not: an API client, or a log. */
export function describeLack({ role, tenants }: Actor, asked: Asked): string {
  const { scope, perTenant }: Rule = ACTIONS[actionOf(asked)];
  if (tenants && !perTenant) return "This is about all tenants, and your sight is limited to some.";
  return role ? `The role ${role} may not do this.` : `This needs the scope ${scope}.`;
}
