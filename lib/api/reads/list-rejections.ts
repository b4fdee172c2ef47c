import type { RejectionReason } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { cutPage, type Page } from "../cursor.ts";
import { toIsoTime } from "../iso-time.ts";

export type RejectionItem = {
  id: string;
  at: string;
  source: string;
  reason: RejectionReason;
  detail: string | null;
  remoteAddress: string | null;
  bytes: number | null;
};

export type RejectionCount = { source: string; reason: RejectionReason; count: number };

export type Rejections = Page<RejectionItem> & {
  /** All of the last 24 hours, also those that the sampled list leaves out. */
  lastDay: RejectionCount[];
};

export type RejectionFilter = { source?: string; reason?: RejectionReason };

/** A page of the sampled rejections, newest first, and how many there were in the last 24 hours. */
export async function listRejections(
  sql: Executor,
  filter: RejectionFilter,
  limit: number,
  after: string | null,
): Promise<Rejections> {
  const rows = await sql<RejectionItem[]>`
    select id::text, at, source_id as source, reason, detail, host(remote_address) as "remoteAddress", bytes
    from rejections where ${matching(sql, filter)} ${after ? sql`and id < ${after}::bigint` : sql``}
    order by rejections.id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, (row) => ({ at: row.at, id: row.id }));
  return {
    ...page,
    items: page.items.map((row) => ({ ...row, at: toIsoTime(row.at) })),
    lastDay: await countRejections(sql, filter),
  };
}

/** All of the last 24 hours by source and reason, most first. */
export async function countRejections(sql: Executor, filter: RejectionFilter): Promise<RejectionCount[]> {
  const rows = await sql<RejectionCount[]>`
    select source_id as source, reason, sum(count)::float8 as count
    from rejection_counts where hour >= now() - interval '24 hours' and ${matching(sql, filter)}
    group by 1, 2 order by 3 desc, 1, 2 limit 500`;
  return [...rows];
}

const matching = (sql: Executor, { source, reason }: RejectionFilter) =>
  sql`true ${source ? sql`and source_id = ${source}` : sql``} ${reason ? sql`and reason = ${reason}` : sql``}`;
