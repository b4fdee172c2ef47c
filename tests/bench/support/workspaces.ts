/** Customers that events are about, each with a workspace of its own: as many locks as a real ledger has. */
export const WORKSPACES = 1_000;
