import { v7 as uuidv7 } from "uuid";
import type { Tx } from "#db/client.ts";
import type { Candidate } from "./candidates.ts";
import type { Finding } from "./classify.ts";

export type FoundGap = Finding & {
  account: string;
  subject: string;
  /** Milliseconds since the epoch. */
  happenedAt: number;
  /** Bytes and headers of the receipt that a repair puts in. */
  receipt: { body: Buffer; headers: Record<string, string> } | null;
  deliveryId: string | null;
};

export function toGap({ account, subject, object }: Candidate, finding: Finding): FoundGap {
  return {
    ...finding,
    account,
    subject,
    happenedAt: object.at,
    receipt: finding.repairable ? object.receipt : null,
    deliveryId: object.deliveryId ?? null,
  };
}

/**
 * Keeps what a run found, one row per thing and class. What was closed opens again; what a person dismissed stays so.
 * Returns how many were not open before.
 */
export async function writeGaps(
  tx: Tx,
  run: { id: string; sourceId: string },
  gaps: readonly FoundGap[],
): Promise<number> {
  if (gaps.length === 0) return 0;
  const unique = new Map(gaps.map((gap) => [JSON.stringify([gap.account, gap.subject, gap.class]), gap]));
  const rows = [...unique.values()].map((gap) => ({
    id: uuidv7(),
    a: gap.account,
    u: gap.subject,
    c: gap.class,
    y: gap.why,
    at: new Date(gap.happenedAt).toISOString(),
    r: gap.repairable,
    b: gap.receipt?.body.toString("base64") ?? null,
    h: gap.receipt?.headers ?? null,
    d: gap.deliveryId,
  }));
  const [counted] = await tx.unsafe<{ opened: number }[]>(WRITE, [
    JSON.stringify(rows),
    run.id,
    run.sourceId,
  ]);
  return counted!.opened;
}

const WRITE = `
with input as (
  select * from json_to_recordset($1::text::json) as input (
    id uuid, a text, u text, c text, y text, at timestamptz, r boolean, b text, h jsonb, d text)
), before as (
  select gap.account, gap.subject, gap.class, gap.status from reconciliation_gaps gap
  join input on (gap.account, gap.subject, gap.class) = (a, u, c) where gap.source_id = $3
), written as (
  insert into reconciliation_gaps as gap (id, source_id, account, subject, class, why, happened_at, repairable,
    receipt_body, receipt_headers, delivery_id, last_run_id)
  select id, $3, a, u, c, y, at, r, decode(b, 'base64'), h, d, $2::uuid from input order by a, u, c
  on conflict (source_id, account, subject, class) do update set
    status = case when gap.status = 'dismissed' then gap.status else 'open' end,
    closed_at = case when gap.status = 'dismissed' then gap.closed_at end,
    closed_by = case when gap.status = 'dismissed' then gap.closed_by end,
    closed_why = case when gap.status = 'dismissed' then gap.closed_why end,
    why = excluded.why, happened_at = excluded.happened_at, repairable = excluded.repairable,
    receipt_body = excluded.receipt_body, receipt_headers = excluded.receipt_headers,
    delivery_id = excluded.delivery_id, last_seen_at = now(), last_run_id = excluded.last_run_id
)
select count(*) filter (where before.status is null or before.status = 'closed')::int as opened
from input left join before on (before.account, before.subject, before.class) = (a, u, c)`;

/** Closes gaps that are gone. What they kept of the sender's object goes with them. */
export async function closeGaps(tx: Tx, ids: readonly string[], by: string, why: string): Promise<number> {
  const { count } = await tx`
    update reconciliation_gaps set status = 'closed', closed_at = now(), closed_by = ${by}, closed_why = ${why},
      receipt_body = null, receipt_headers = null
    where id = any(${ids as string[]}::uuid[]) and status = 'open'`;
  return count;
}
