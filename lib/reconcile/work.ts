import type { Sql } from "#db/client.ts";
import { isOutage } from "#db/errors.ts";
import { failpoint } from "#lib/failpoint.ts";
import { SenderFailure } from "#lib/recovery/failure.ts";
import { describeError, log } from "#lib/telemetry/log.ts";
import { stepClose } from "./close-step.ts";
import { stepEntries } from "./entries-step.ts";
import { endCancelled, failRun, type Lease, LeaseLost, leaseRun, releaseRun } from "./lease.ts";
import { type RunContext, stepList } from "./list-step.ts";
import { type ContextOptions, openContext } from "./open-context.ts";
import { stepRepair } from "./repair-step.ts";
import { stepVerify } from "./verify-step.ts";

/** Milliseconds for one step: less than the lease. */
const STEP_TIMEOUT = 90_000;

export type WorkOptions = ContextOptions & {
  /** Aborted when this process stops: the run is given back where it is. */
  stop: AbortSignal;
  /** Runs of this source alone; for tests. */
  source?: string;
};

/**
 * Leases a run and works it to its end, step by step. False when none was due. What goes wrong at the sender fails the
 * step: the run goes on where it was, later, and is never recorded as done. Throws only when the database is away;
 * the lease then runs out, and whoever comes next goes on.
 */
export async function workRun(sql: Sql, options: WorkOptions): Promise<boolean> {
  const lease = await leaseRun(sql, options.source);
  if (!lease) return false;
  try {
    const context = await openContext(sql, lease.sourceId, options);
    await workSteps(sql, lease, context, options.stop);
  } catch (error) {
    if (error instanceof LeaseLost) await endCancelled(sql, lease);
    else if (options.stop.aborted) await releaseRun(sql, lease, 0);
    else if (isOutage(error)) throw error;
    else await failRun(sql, lease, describe(error));
  }
  return true;
}

async function workSteps(sql: Sql, lease: Lease, context: RunContext, stop: AbortSignal): Promise<void> {
  for (;;) {
    stop.throwIfAborted();
    const signal = AbortSignal.any([stop, AbortSignal.timeout(STEP_TIMEOUT)]);
    const { progress } = lease;
    switch (progress.phase) {
      case "list":
        await stepList(sql, lease, context, progress, signal);
        break;
      case "entries":
        await stepEntries(sql, lease, context, progress, signal);
        break;
      case "repair":
        await stepRepair(sql, lease, context, progress, signal);
        break;
      case "verify": {
        const wait = await stepVerify(sql, lease, context, progress);
        // Not held while the worker is at it: one process serves every source.
        if (wait !== null) return releaseRun(sql, lease, wait);
        break;
      }
      case "close":
        return stepClose(sql, lease, context);
      default:
        progress satisfies never;
    }
    failpoint("reconcile.after-step");
  }
}

function describe(error: unknown): Parameters<typeof failRun>[2] {
  if (error instanceof SenderFailure) return error;
  const { message, code } = describeError(error);
  log().error({ err: error }, "a step of a reconciliation failed");
  // A fault of ours or a row that the database refuses: tried again, since the next version may know better.
  return { message: `${code ?? "error"}: ${message}`.slice(0, 300), permanent: false, retryAfterMs: null };
}
