export * from "./access.ts";
export * from "./inbox.ts";
export * from "./ledger.ts";
export * from "./outbox.ts";
export * from "./reconciliation.ts";
export * from "./running.ts";
export * from "./sources.ts";
export * from "./tenancy.ts";
