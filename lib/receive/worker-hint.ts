import type { Sql } from "#db/client.ts";

export const INBOX_CHANNEL = "counterfoil_inbox";

/**
 * Milliseconds between two hints. NOTIFY takes a lock on every commit, so it is never sent per receipt; but what a hint
 * waits, a lone event waits too.
 */
const SPACING = 5;

/**
 * A function that tells the workers, on a connection of its own, that something may be due. Only a hint: workers poll,
 * and find what a lost one did not tell.
 */
export function createWorkerHint(sql: Sql): () => void {
  let timer: NodeJS.Timeout | null = null;
  let last = 0;
  return () => {
    if (timer) return;
    const wait = Math.max(0, last + SPACING - Date.now());
    timer = setTimeout(() => {
      timer = null;
      last = Date.now();
      sql.notify(INBOX_CHANNEL, "").catch(() => {});
    }, wait);
  };
}
