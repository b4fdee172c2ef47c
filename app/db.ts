import { connect, type Sql } from "#db/client.ts";
import { env } from "#lib/env.ts";

/**
 * The web process's connections. Next bundles its own copy of every module beside the one that server code loads, so
 * the pools live on globalThis: a second pool would keep the process alive after its stop.
 */
type Pools = { receive: Sql; main: Sql; read: Sql; hint: Sql };

const holder = globalThis as typeof globalThis & { counterfoilPools?: Pools };

function pools(): Pools {
  holder.counterfoilPools ??= openPools();
  return holder.counterfoilPools;
}

function openPools(): Pools {
  const { DATABASE_URL, DATABASE_READ_URL, DATABASE_POOLER } = env();
  if (!DATABASE_URL) throw new Error("DATABASE_URL is not set");
  const pooler = DATABASE_POOLER === "transaction";
  const open = (name: string, url: string, max: number, statementTimeout: number, lockTimeout: number) =>
    connect({
      url,
      max,
      name: `counterfoil ${name}`,
      pooler,
      statementTimeout,
      lockTimeout,
    }) as unknown as Sql;
  return {
    // One batch at a time is under way; a second connection records repetitions of another meanwhile.
    receive: open("receive", DATABASE_URL, 2, 5_000, 3_000),
    main: open("web", DATABASE_URL, 5, 10_000, 5_000),
    read: open("read", DATABASE_READ_URL ?? DATABASE_URL, 4, 5_000, 2_000),
    hint: open("hint", DATABASE_URL, 1, 2_000, 1_000),
  };
}

/** For changes, and for reads that must see them. */
export const db = (): Sql => pools().main;
/** For lists and charts; may be a replica that is a moment behind. */
export const readDb = (): Sql => pools().read;
/** For the group commit alone. */
export const receiveDb = (): Sql => pools().receive;
export const hintDb = (): Sql => pools().hint;

/** Ends every pool of this process; for the orderly stop. */
export async function closePools(): Promise<void> {
  const open = holder.counterfoilPools;
  holder.counterfoilPools = undefined;
  if (open) await Promise.allSettled(Object.values(open).map((sql) => sql.end({ timeout: 2 })));
}
