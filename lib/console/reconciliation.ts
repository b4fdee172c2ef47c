import type { Sql } from "#db/client.ts";
import { GAP_CLASSES, type GapClass, type SourceKind } from "#db/states.ts";
import { type GapItem, listGaps, listRuns, type RunItem } from "#lib/api/reads/reconciliations.ts";
import { recoveryOf } from "#lib/recovery/index.ts";
import { type SourceSettings, sourceSettings } from "#lib/sources/settings.ts";

/** How a source stands with its sender's books. Times are PostgreSQL's text. */
export type Standing = {
  id: string;
  name: string;
  kind: SourceKind;
  hasCredentials: boolean;
  /** The sender can be asked to deliver again. */
  canRedeliver: boolean;
  everyMinutes: number | null;
  /** The newest pass that saw everything of its window. */
  lastFull: { from: string; to: string; at: string } | null;
  /** Waiting, or being worked on. */
  open: number;
  gaps: number;
  repairable: number;
};

export type GapFilter = { source?: string; class?: GapClass };

export type ReconciliationPage = {
  sources: Standing[];
  /** Open gaps of the filtered source by class. */
  counts: Record<GapClass, number>;
  gaps: GapItem[];
  runs: RunItem[];
  now: string;
};

const GAPS_SHOWN = 100;
const RUNS_SHOWN = 20;

export const isGapClass = (text: string | null): text is GapClass =>
  GAP_CLASSES.some((each) => each === text);

export async function loadReconciliation(sql: Sql, filter: GapFilter): Promise<ReconciliationPage> {
  const [sources, counts, gaps, runs, [clock]] = await Promise.all([
    loadStandings(sql),
    countOpen(sql, filter.source),
    listGaps(sql, { ...filter, status: "open" }, GAPS_SHOWN, null),
    listRuns(sql, { source: filter.source }, RUNS_SHOWN, null),
    sql<{ now: string }[]>`select now() as now`,
  ]);
  return { sources, counts, gaps: gaps.items, runs: runs.items, now: clock!.now };
}

type Row = Omit<Standing, "everyMinutes" | "canRedeliver" | "lastFull"> & {
  settings: SourceSettings;
  lastFrom: string | null;
  lastTo: string;
  lastAt: string;
};

/** Of every source whose kind of sender has a list. */
export async function loadStandings(sql: Sql): Promise<Standing[]> {
  const rows = await sql<Row[]>`
    select source.id, source.name, source.kind, source.settings,
      exists (select from source_credentials where source_id = source.id) as "hasCredentials",
      last.window_from as "lastFrom", last.window_to as "lastTo", last.finished_at as "lastAt",
      (select count(*)::int from reconciliation_runs run where run.source_id = source.id
        and run.status in ('pending', 'running')) as open,
      (select count(*)::int from reconciliation_gaps gap where gap.source_id = source.id and gap.status = 'open') as gaps,
      (select count(*)::int from reconciliation_gaps gap where gap.source_id = source.id and gap.status = 'open'
        and gap.repairable) as repairable
    from sources source
    left join lateral (select * from reconciliation_runs run where run.source_id = source.id and run.status = 'done'
      and run.warnings = '{}' order by run.finished_at desc limit 1) last on true
    order by source.id`;
  return rows
    .filter(({ kind }) => recoveryOf(kind))
    .map(({ settings, lastFrom, lastTo, lastAt, ...row }) => ({
      ...row,
      canRedeliver: recoveryOf(row.kind)!.canRedeliver,
      everyMinutes: sourceSettings.parse(settings).reconcile.everyMinutes,
      lastFull: lastFrom === null ? null : { from: lastFrom, to: lastTo, at: lastAt },
    }));
}

async function countOpen(sql: Sql, source: string | undefined): Promise<Record<GapClass, number>> {
  const rows = await sql<{ class: GapClass; gaps: number }[]>`
    select class, count(*)::int as gaps from reconciliation_gaps
    where status = 'open' and (${source ?? null}::text is null or source_id = ${source ?? null}) group by class`;
  const none = Object.fromEntries(GAP_CLASSES.map((each) => [each, 0])) as Record<GapClass, number>;
  return { ...none, ...Object.fromEntries(rows.map((row) => [row.class, row.gaps])) };
}

/** The address of the page with these filters. */
export function reconciliationHref(filter: GapFilter): string {
  const search = new URLSearchParams();
  if (filter.source) search.set("source", filter.source);
  if (filter.class) search.set("class", filter.class);
  return search.size > 0 ? `/reconciliation?${search}` : "/reconciliation";
}

export const outageHref = (source: string) => `/reconciliation/outage?source=${encodeURIComponent(source)}`;
