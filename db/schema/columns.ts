import { type SQL, sql } from "drizzle-orm";
import { customType, type PgColumn, timestamp } from "drizzle-orm/pg-core";

/** Bytes as received. */
export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => "bytea" });

/** Always with time zone: a plain timestamp means something else on every server. Text, to keep microseconds. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "string" });

export const createdAt = () => moment("created_at").notNull().defaultNow();

/** A CHECK body `column IN ('a', 'b')` from one of the closed sets of db/states.ts. */
export function oneOf(column: PgColumn, values: readonly string[]): SQL {
  return sql`${column} in (${sql.raw(values.map((value) => `'${value}'`).join(", "))})`;
}
