import type { Tx } from "#db/client.ts";
import { sqlState } from "#db/errors.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { releaseByContract } from "./release-by-contract.ts";

/** A step is a hundred events. The sweep moves what is beyond: nobody waits half a minute for an answer. */
const MOST_STEPS = 10;
const TRIES = 5;
const UNIQUE_VIOLATION = "23505";

/**
 * Releases events that waited for a source's contract in the transaction that confirmed it, and tells the workers.
 * Returns how many; 0 while anything is open.
 */
export async function releaseConfirmed(tx: Tx, sourceId: string): Promise<number> {
  let released = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    const moved = await releaseByContract(tx, sourceId);
    released += moved;
    if (moved === 0) break;
  }
  if (released > 0) await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
  return released;
}

/** The receiver may take a key between a release's look and its update; then the whole transaction is made again. */
export async function retryTakenKeys<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (sqlState(error) !== UNIQUE_VIOLATION || tries === TRIES) throw error;
    }
  }
}
