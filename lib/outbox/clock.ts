/**
 * The outbox's clock: the database's, moved by an offset. All statements of the outbox that ask for the time take the
 * offset in seconds as their first parameter and say NOW, so that a test can let 72 hours pass. In production it is 0.
 */
export type Clock = { offsetSeconds: number };

export const DATABASE_CLOCK: Clock = { offsetSeconds: 0 };

/** An SQL expression; $1 is the offset. */
export const NOW = "(clock_timestamp() + make_interval(secs => $1::float8))";
/** The same, standing still within a statement's transaction. */
export const TX_NOW = "(now() + make_interval(secs => $1::float8))";
