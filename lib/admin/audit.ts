import type { Tx } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";

export type AuditEntry = {
  /** What was done, for example source.pause. */
  action: string;
  /** What it was done to, for example source:stripe. */
  target: string;
  reason?: string | null;
  /** Plain JSON; never a secret, and no bigint. */
  before: unknown;
  after: unknown;
};

/** Records a change in the transaction that makes it: one cannot be there without the other. */
export async function writeAudit(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  const json = (value: unknown) => (value === null || value === undefined ? null : tx.json(value as never));
  await tx`
    insert into audit_entries (actor, action, target, reason, before, after)
    values (${actor.name}, ${entry.action}, ${entry.target}, ${entry.reason ?? null}, ${json(entry.before)},
      ${json(entry.after)})`;
}

/** Whether two plain JSON values say the same, whatever the order of their keys. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
