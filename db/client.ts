import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import * as schema from "./schema/index.ts";

export type Sql = postgres.Sql;
/** What a helper inside a transaction takes: never the pool, or its statement would run outside (and hang a pool of one). */
export type Tx = postgres.TransactionSql;
export type Db = PostgresJsDatabase<typeof schema>;

export type ConnectOptions = {
  url: string;
  /** Connections at the most. */
  max: number;
  /** Shown in pg_stat_activity. */
  name: string;
  /** Behind PgBouncer in transaction mode: no named statements, no session settings. */
  pooler?: boolean;
  /** Milliseconds after which the server gives up a statement, a lock wait, an idle transaction. */
  statementTimeout?: number;
  lockTimeout?: number;
  idleInTransactionTimeout?: number;
  /** Milliseconds after which an unused connection is closed. */
  idleTimeout?: number;
};

/**
 * Opens a pool of raw connections for the hot paths. Timestamps stay text: a JS Date drops the microseconds
 * that cursors and compare-and-set need. bigint comes back as a JS bigint.
 */
export function connect(options: ConnectOptions): postgres.Sql<{ bigint: bigint }> {
  return postgres(options.url, {
    max: options.max,
    prepare: !options.pooler,
    // A lost server is looked for again four times a second; LISTEN and waiting queries come back with it.
    backoff: () => 0.25,
    connect_timeout: 5,
    idle_timeout: options.idleTimeout ? options.idleTimeout / 1000 : undefined,
    max_lifetime: null,
    onnotice: () => {},
    types: {
      bigint: postgres.BigInt,
      timestamptz: {
        to: 1184,
        from: [1184],
        serialize: (value: string | Date) => (value instanceof Date ? value.toISOString() : value),
        parse: (text: string) => text,
      },
    },
    connection: {
      application_name: options.name,
      ...(options.pooler
        ? {}
        : {
            TimeZone: "UTC",
            statement_timeout: options.statementTimeout ?? 30_000,
            lock_timeout: options.lockTimeout ?? 10_000,
            idle_in_transaction_session_timeout: options.idleInTransactionTimeout ?? 30_000,
          }),
    },
  } as postgres.Options<{ bigint: postgres.PostgresType<bigint> }>) as postgres.Sql<{ bigint: bigint }>;
}

/** drizzle changes the serializers of the client it is given, so it gets one of its own. */
export function connectDrizzle(options: ConnectOptions): {
  db: Db;
  sql: postgres.Sql;
  end: () => Promise<void>;
} {
  const sql = postgres(options.url, {
    max: options.max,
    prepare: !options.pooler,
    backoff: () => 0.25,
    connect_timeout: 5,
    onnotice: () => {},
    connection: {
      application_name: options.name,
      ...(options.pooler ? {} : { TimeZone: "UTC", statement_timeout: options.statementTimeout ?? 10_000 }),
    },
  });
  return { db: drizzle(sql, { schema }), sql, end: () => sql.end({ timeout: 5 }) };
}
