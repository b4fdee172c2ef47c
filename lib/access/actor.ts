/** What a caller may do (CONTRACT §9). Each route names the one it wants. */
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

/** Who is at work, as audit entries and attempts name it. */
export type Actor = { name: string; scopes: readonly Scope[] };
