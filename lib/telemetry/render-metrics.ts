import { hostname } from "node:os";
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, Registry } from "prom-client";
import type { Executor } from "#lib/executor.ts";
import { readDatabaseFigures } from "./database-figures.ts";
import { log } from "./log.ts";
import { metrics } from "./metrics.ts";
import { STALE_SECONDS } from "./publish-metrics.ts";

export const METRICS_CONTENT_TYPE = new Registry().contentType;

/**
 * All figures in Prometheus' text format: this process's own, what other processes last published, and what the
 * database knows. When the database does not answer, the process's own are given alone, with counterfoil_up 0.
 */
export async function renderMetrics(sql: Executor): Promise<string> {
  const own = metrics().registry;
  own.setDefaultLabels({ process: "web", host: hostname() });
  const series = [await own.getMetricsAsJSON()];
  try {
    const [published, database] = await Promise.all([readPublished(sql), readDatabaseFigures(sql)]);
    const processes = AggregatorRegistry.aggregate([...series, ...published]);
    return `${await processes.metrics()}${await database.metrics()}${up(1)}`;
  } catch (error) {
    log().warn({ err: error }, "a scrape could not read the database");
    return `${await AggregatorRegistry.aggregate(series).metrics()}${up(0)}`;
  }
}

const up = (value: 0 | 1) =>
  `# HELP counterfoil_up Whether the database answered this scrape.\n# TYPE counterfoil_up gauge\ncounterfoil_up ${value}\n`;

type Series = MetricObjectWithValues<MetricValue<string>>[];

async function readPublished(sql: Executor): Promise<Series[]> {
  const rows = await sql<{ series: Series }[]>`
    select series from process_metrics where at > now() - make_interval(secs => ${STALE_SECONDS})`;
  return rows.map(({ series }) => series);
}
