import type { Sql } from "#db/client.ts";
import { listRuns, type RunItem } from "#lib/api/reads/reconciliations.ts";
import { loadStandings, type Standing } from "./reconciliation.ts";

/** What the guide through the time after an outage shows. Times are PostgreSQL's text. */
export type OutagePage = {
  source: Standing;
  /** The newest delivery of the sender's own. */
  lastDelivery: string | null;
  /** The newest runs that somebody asked for, of each kind. */
  compared: RunItem | null;
  redelivered: RunItem | null;
  repaired: RunItem | null;
  /** The newest full pass came after all of them, and no gap is open. */
  isDone: boolean;
  now: string;
};

const RUNS_READ = 50;

/** Null when there is no such source, or none whose sender has a list. */
export async function loadOutage(sql: Sql, id: string): Promise<OutagePage | null> {
  const source = (await loadStandings(sql)).find((each) => each.id === id);
  if (!source) return null;
  const [{ items }, [row]] = await Promise.all([
    listRuns(sql, { source: id }, RUNS_READ, null),
    sql<{ now: string; last: string | null }[]>`
      select now() as now, (select max(received_at) from inbox_events
        where source_id = ${id} and origin = 'webhook') as last`,
  ]);
  const asked = items.filter(({ trigger, status }) => trigger === "request" && status !== "cancelled");
  const [newest] = asked;
  return {
    source,
    lastDelivery: row!.last,
    compared: asked.find(({ repair }) => !repair) ?? null,
    redelivered: asked.find(({ redeliver }) => redeliver) ?? null,
    repaired: asked.find(({ repair, redeliver }) => repair && !redeliver) ?? null,
    isDone: newest?.isFull === true && source.gaps === 0 && source.open === 0,
    now: row!.now,
  };
}
