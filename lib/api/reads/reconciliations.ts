import type { Sql } from "#db/client.ts";
import type { GapClass, GapStatus, RunStatus, RunTrigger } from "#db/states.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

/** A run as people and scripts see it. Times are ISO 8601. */
export type RunItem = {
  id: string;
  source: string;
  trigger: RunTrigger;
  actor: string;
  reason: string | null;
  from: string;
  to: string;
  repair: boolean;
  redeliver: boolean;
  status: RunStatus;
  /** Which part it is at, while it runs. */
  phase: string | null;
  /** Compared to the end, and nothing kept it from seeing all. */
  isFull: boolean;
  pages: number;
  objects: number;
  entries: number;
  gapsFound: number;
  gapsRepaired: number;
  gapsClosed: number;
  warnings: string[];
  failures: number;
  lastError: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
};

export type RunFilter = { source?: string; status?: RunStatus };

const RUN = `id, source_id as source, trigger, actor, reason, window_from as "from", window_to as "to", repair, redeliver,
  case when cancel_requested_at is not null then 'cancelled' else status end as status, progress ->> 'phase' as phase,
  status = 'done' and warnings = '{}' as "isFull", pages, objects, entries, gaps_found as "gapsFound",
  gaps_repaired as "gapsRepaired", gaps_closed as "gapsClosed", warnings, failures, last_error as "lastError",
  next_attempt_at as "nextAttemptAt", created_at as "createdAt", started_at as "startedAt",
  finished_at as "finishedAt"`;

export async function listRuns(
  sql: Sql,
  { source, status }: RunFilter,
  limit: number,
  before: Position | null,
): Promise<Page<RunItem>> {
  const rows = await sql.unsafe<RunItem[]>(
    `select ${RUN} from reconciliation_runs
    where ($1::text is null or source_id = $1) and ($2::text is null or status = $2)
      and ($3::timestamptz is null or (created_at, id) < ($3::timestamptz, $4::uuid))
    order by created_at desc, id desc limit $5`,
    [source ?? null, status ?? null, before?.at ?? null, before?.id ?? null, limit + 1],
  );
  const page = cutPage(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
  return { ...page, items: page.items.map(toRun) };
}

export async function getRun(sql: Sql, id: string): Promise<RunItem | null> {
  const [row] = await sql.unsafe<RunItem[]>(`select ${RUN} from reconciliation_runs where id = $1`, [id]);
  return row ? toRun(row) : null;
}

const toRun = (row: RunItem): RunItem => ({
  ...row,
  from: toIsoTime(row.from),
  to: toIsoTime(row.to),
  nextAttemptAt: toIsoTimeOrNull(row.nextAttemptAt),
  createdAt: toIsoTime(row.createdAt),
  startedAt: toIsoTimeOrNull(row.startedAt),
  finishedAt: toIsoTimeOrNull(row.finishedAt),
});

export type GapItem = {
  id: string;
  source: string;
  account: string;
  subject: string;
  class: GapClass;
  status: GapStatus;
  why: string;
  repairable: boolean;
  happenedAt: string;
  firstSeenAt: string;
  lastSeenAt: string;
  run: string;
  repairedAt: string | null;
  /** Our id of the receipt that a repair put in. */
  event: string | null;
  closedAt: string | null;
  closedBy: string | null;
  closedWhy: string | null;
};

export type GapFilter = { source?: string; status?: GapStatus; class?: GapClass; run?: string };

const GAP = `id, source_id as source, account, subject, class, status, why, repairable, happened_at as "happenedAt",
  first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt", last_run_id as run, repaired_at as "repairedAt",
  inbox_event_id as event, closed_at as "closedAt", closed_by as "closedBy", closed_why as "closedWhy"`;

export async function listGaps(
  sql: Sql,
  filter: GapFilter,
  limit: number,
  before: Position | null,
): Promise<Page<GapItem>> {
  const rows = await sql.unsafe<GapItem[]>(
    `select ${GAP} from reconciliation_gaps
    where ($1::text is null or source_id = $1) and ($2::text is null or status = $2)
      and ($3::text is null or class = $3) and ($4::uuid is null or last_run_id = $4)
      and ($5::timestamptz is null or (first_seen_at, id) < ($5::timestamptz, $6::uuid))
    order by first_seen_at desc, id desc limit $7`,
    [
      filter.source ?? null,
      filter.status ?? null,
      filter.class ?? null,
      filter.run ?? null,
      before?.at ?? null,
      before?.id ?? null,
      limit + 1,
    ],
  );
  const page = cutPage(rows, limit, ({ firstSeenAt, id }) => ({ at: firstSeenAt, id }));
  return { ...page, items: page.items.map(toGap) };
}

export async function getGap(sql: Sql, id: string): Promise<GapItem | null> {
  const [row] = await sql.unsafe<GapItem[]>(`select ${GAP} from reconciliation_gaps where id = $1`, [id]);
  return row ? toGap(row) : null;
}

const toGap = (row: GapItem): GapItem => ({
  ...row,
  happenedAt: toIsoTime(row.happenedAt),
  firstSeenAt: toIsoTime(row.firstSeenAt),
  lastSeenAt: toIsoTime(row.lastSeenAt),
  repairedAt: toIsoTimeOrNull(row.repairedAt),
  closedAt: toIsoTimeOrNull(row.closedAt),
});
