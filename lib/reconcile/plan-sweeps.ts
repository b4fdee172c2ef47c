import type { Sql } from "#db/client.ts";
import type { SourceKind } from "#db/states.ts";
import { recoveryOf } from "#lib/recovery/index.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import { insertRun } from "./request-run.ts";

/** Minutes that a sweep leaves to webhooks that are still under way. */
const UNDER_WAY = 5;
/** Days that the first sweep of a source looks back. */
const FIRST = 3;

/**
 * Plans the sweeps that are due: from the end of the last finished one, less the overlap, up to a moment ago. However
 * long nothing ran, the next sweep covers all of it. Safe on several workers at once. Returns how many were planned.
 */
export async function planSweeps(sql: Sql): Promise<number> {
  const sources = await sql<{ id: string; kind: SourceKind; settings: unknown }[]>`
    select id, kind, settings from sources source
    where exists (select from source_credentials where source_id = source.id) and status = 'active'
      and not exists (select from reconciliation_runs run where run.source_id = source.id
        and run.status in ('pending', 'running') and run.trigger <> 'request')
    order by id`;
  let planned = 0;
  for (const { id, kind, settings } of sources) {
    const { everyMinutes, overlapMinutes, repair } = sourceSettings.parse(settings).reconcile;
    if (everyMinutes === null || !recoveryOf(kind)) continue;
    if (await planSweep(sql, { source: id, everyMinutes, overlapMinutes, repair })) planned++;
  }
  return planned;
}

type Plan = { source: string; everyMinutes: number; overlapMinutes: number; repair: boolean };

async function planSweep(sql: Sql, { source, everyMinutes, overlapMinutes, repair }: Plan): Promise<boolean> {
  return (await sql.begin(async (tx) => {
    // Two workers plan the same minute: the second finds what the first planned.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`sweep:${source}`}, 0))`;
    const [window] = await tx<{ from: string; to: string; due: boolean }[]>`
      with last as (
        select max(window_to) filter (where status = 'done') as covered, max(created_at) as planned,
          bool_or(status in ('pending', 'running')) as open
        from reconciliation_runs where source_id = ${source} and trigger <> 'request'
      )
      select coalesce(covered - make_interval(mins => ${overlapMinutes}), now() - make_interval(days => ${FIRST})) as from,
        now() - make_interval(mins => ${UNDER_WAY}) as to,
        not coalesce(open, false) and coalesce(planned <= now() - make_interval(mins => ${everyMinutes}), true) as due
      from last`;
    if (!window?.due) return false;
    const { from, to } = window;
    const [forwards] = await tx`select ${from}::timestamptz < ${to}::timestamptz as ok`;
    if (!forwards!.ok) return false;
    await insertRun(tx, { name: "schedule" }, { source, from, to, repair }, "sweep");
    return true;
  })) as boolean;
}
