import type { Channel, DestinationStatus, Policy } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";

/** A destination as people and the API see it; its secret only by a fingerprint. Times are text from the database. */
export type DestinationView = {
  id: string;
  channel: Channel;
  topics: string[];
  tenant: string | null;
  /** Of a Slack webhook, whose whole URL is its secret, the host alone. */
  url: string | null;
  to: string | null;
  secretFingerprint: string | null;
  policy: Policy;
  owner: string | null;
  status: DestinationStatus;
  statusReason: string | null;
  concurrency: number;
  /** Since when nothing could be sent there by our own doing: paused, or not set up. */
  heldSince: string | null;
  failures: number;
  /** Since when it fails as a whole, why, and when it is tried next; null while it works. */
  brokenSince: string | null;
  brokenWhy: string | null;
  probes: number;
  probeAt: string | null;
  createdAt: string;
  updatedAt: string;
};

const columns = (sql: Executor) => sql`
  id, channel, topics, tenant_id as tenant, url, recipient as "to", secret_fingerprint as "secretFingerprint", policy,
  owner, status, status_reason as "statusReason", concurrency, held_since as "heldSince", failures,
  broken_since as "brokenSince", broken_why as "brokenWhy", probes, probe_at as "probeAt", created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function describeDestination(sql: Executor, id: string): Promise<DestinationView | null> {
  const [row] = await sql<DestinationView[]>`select ${columns(sql)} from destinations where id = ${id}`;
  return row ?? null;
}

/** All of them: somebody wrote each by hand, so there are not many. */
export async function listDestinations(sql: Executor): Promise<DestinationView[]> {
  return await sql<DestinationView[]>`select ${columns(sql)} from destinations order by id`;
}

/** What the audit log keeps of one. */
export function summarizeDestination(view: DestinationView | null) {
  if (!view) return null;
  const { channel, topics, tenant, url, to, secretFingerprint, policy, owner, concurrency } = view;
  return { channel, topics, tenant, url, to, secretFingerprint, policy, owner, concurrency };
}
