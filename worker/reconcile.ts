import type { Sql } from "#db/client.ts";
import { env } from "#lib/env.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import type { ContextOptions } from "#lib/reconcile/open-context.ts";
import { workRun } from "#lib/reconcile/work.ts";
import { secretKeys } from "#lib/secret-keys.ts";
import { log } from "#lib/telemetry/log.ts";

/** Milliseconds between two looks: what a person who asked for a run waits at most. */
const LOOK = 1_000;

/**
 * Works reconciliation runs, one at a time in this process, until stopped. Not without SECRET_KEY, which opens the
 * credentials: the runs are then for another worker.
 */
export function startReconcileLoop(sql: Sql): { stop(): Promise<void> } {
  const options = readOptions();
  if (!options) {
    log().warn("without SECRET_KEY this worker takes no reconciliations");
    return { stop: async () => {} };
  }
  const stopping = new AbortController();
  let wake = () => {};

  async function loop(context: ContextOptions): Promise<void> {
    while (!stopping.signal.aborted) {
      const worked = await workRun(sql, { ...context, stop: stopping.signal }).catch((error) => {
        log().error({ err: error }, "a reconciliation could not go on; its lease runs out");
        return false;
      });
      if (worked || stopping.signal.aborted) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  const running = loop(options);
  return {
    async stop() {
      stopping.abort();
      wake();
      await running;
    },
  };
}

function readOptions(): ContextOptions | null {
  const { SECRET_KEY, OUTBOUND_ALLOW = "" } = env();
  const parsed = parseAllowances(OUTBOUND_ALLOW);
  return SECRET_KEY && parsed.ok ? { keys: secretKeys(), allow: parsed.allow } : null;
}
