import { integer, json, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment } from "./columns.ts";

/**
 * The figures of processes that serve no scrape of their own, as they last said them. A process takes the lowest free
 * slot of its role on its host, so that the label made of it is one of a few and is used again after a restart.
 * Unlogged: the figures of a database that crashed are of no use to anybody.
 */
export const processMetrics = pgTable(
  "process_metrics",
  {
    role: text("role").notNull(),
    host: text("host").notNull(),
    slot: integer("slot").notNull(),
    at: moment("at").notNull().defaultNow(),
    /** prom-client's getMetricsAsJSON() */
    series: json("series").notNull(),
  },
  (table) => [primaryKey({ columns: [table.role, table.host, table.slot] })],
);
