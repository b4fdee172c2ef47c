import { hostname } from "node:os";
import type { Sql } from "#db/client.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";

const EVERY_MS = 5_000;
/** Seconds after which a silent process's slot may be taken by another, and its figures are no longer shown. */
export const STALE_SECONDS = 30;
const SLOTS = 64;

/**
 * Writes this process's figures to the database every five seconds, for the web server's /metrics: one scrape shows
 * all processes, also those on other machines. A database that does not answer is waited for, quietly.
 */
export function publishMetrics(sql: Sql, role: string): { stop(): Promise<void> } {
  const host = hostname();
  let slot: number | null = null;
  let running: Promise<void> = Promise.resolve();

  async function publish(): Promise<void> {
    if (slot === null) {
      slot = await takeSlot(sql, role, host);
      if (slot === null) return;
      metrics().registry.setDefaultLabels({ process: `${role}-${slot}`, host });
    }
    const series = JSON.stringify(await metrics().registry.getMetricsAsJSON());
    await sql`
      update process_metrics set at = now(), series = ${series}::text::json
      where role = ${role} and host = ${host} and slot = ${slot}`;
  }
  const tick = () => {
    running = running.then(() =>
      publish().catch((error) => log().debug({ err: error }, "figures could not be written")),
    );
  };
  tick();
  const timer = setInterval(tick, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      if (slot === null) return;
      const free = sql`delete from process_metrics where role = ${role} and host = ${host} and slot = ${slot}`;
      await free.catch(() => {});
    },
  };
}

/** The lowest slot that no living process of this role and host holds; null when all are held. */
async function takeSlot(sql: Sql, role: string, host: string): Promise<number | null> {
  for (let slot = 1; slot <= SLOTS; slot++) {
    const { count } = await sql`
      insert into process_metrics (role, host, slot, series) values (${role}, ${host}, ${slot}, '[]')
      on conflict (role, host, slot) do update set at = now(), series = '[]'
      where process_metrics.at < now() - make_interval(secs => ${STALE_SECONDS})`;
    if (count === 1) return slot;
  }
  return null;
}
