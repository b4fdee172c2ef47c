import type postgres from "postgres";

/** A pool or a transaction: for reads, which do not mind which. Changes take a Tx. */
export type Executor = postgres.ISql;
