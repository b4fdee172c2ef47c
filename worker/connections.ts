import { connect, type Sql } from "#db/client.ts";
import { databaseUrl } from "#lib/database-url.ts";
import { env } from "#lib/env.ts";
import { type ClaimBook, openClaimBook } from "#lib/inbox/claims.ts";

export type WorkerConnections = { sql: Sql; openBook(workerId: string): ClaimBook; end(): Promise<void> };

/** The pool for the work itself, and one connection for the book of claims (lib/inbox/claims.ts). */
export async function openConnections(name: string, max: number): Promise<WorkerConnections> {
  const { DATABASE_POOLER, DATABASE_DIRECT_URL, WORKER_STUCK_SECONDS } = env();
  const url = await databaseUrl();
  const pooler = DATABASE_POOLER === "transaction";
  const sql = connect({
    url,
    max,
    name,
    pooler,
    statementTimeout: 20_000,
    lockTimeout: 10_000,
    // Longer than the watchdog waits: a stuck worker is to be found out before another one gets its rows.
    idleInTransactionTimeout: WORKER_STUCK_SECONDS * 1_500,
  }) as unknown as Sql;
  const direct = DATABASE_DIRECT_URL !== undefined || !pooler;
  const book = connect({
    url: DATABASE_DIRECT_URL ?? url,
    max: 1,
    name: `${name} claims`,
    pooler: !direct,
  }) as unknown as Sql;
  return {
    sql,
    // Behind a pooler, a session's lock would belong to whoever is given the session next.
    openBook: (workerId) => openClaimBook(book, workerId, { locks: direct }),
    async end() {
      await Promise.all([sql.end({ timeout: 2 }), book.end({ timeout: 1 })]);
    },
  };
}
