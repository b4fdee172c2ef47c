import type { Sql } from "#db/client.ts";
import { dropExpiredBodies, ensureBodyPartitions, listRetention } from "#db/partitions.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { forgetFrozen } from "#lib/operations/freeze.ts";
import { adoptUnfetched } from "#lib/projections/lease.ts";
import { forgetRejectionCounts } from "#lib/receive/forget-rejection-counts.ts";
import { planSweeps } from "#lib/reconcile/plan-sweeps.ts";
import { log } from "#lib/telemetry/log.ts";
import { createRefresher } from "./refresh.ts";

type Task = { name: string; everyMs: number; run(): Promise<unknown> };

const MINUTE = 60_000;

/** What any worker does from time to time; each task is safe to run on several workers at once. */
export function startSchedule(sql: Sql, wake: () => void): { stop(): Promise<void> } {
  let stopping = false;
  const tasks: Task[] = [
    {
      name: "sweep of waiting rows",
      everyMs: MINUTE,
      run: async () => {
        if ((await sweepWaiting(sql)) > 0) wake();
      },
    },
    { name: "dry runs that nobody started", everyMs: MINUTE, run: () => forgetFrozen(sql) },
    { name: "reconciliation sweeps", everyMs: MINUTE, run: () => planSweeps(sql) },
    { name: "subscriptions to fetch", everyMs: 2_000, run: createRefresher(sql, () => stopping) },
    { name: "subscriptions of new credentials", everyMs: MINUTE, run: () => adoptUnfetched(sql) },
    { name: "old rejection counts", everyMs: 60 * MINUTE, run: () => forgetRejectionCounts(sql) },
    { name: "body partitions", everyMs: 60 * MINUTE, run: () => keepPartitions(sql) },
  ];
  const running = new Set<Promise<void>>();
  const timers = tasks.map((task) => {
    let busy = false;
    const tick = async () => {
      if (busy || stopping) return;
      busy = true;
      await task
        .run()
        .catch((error) => log().error({ err: error, task: task.name }, "a scheduled task failed"));
      busy = false;
    };
    const start = () => {
      const work = tick();
      running.add(work);
      void work.finally(() => running.delete(work));
    };
    start();
    return setInterval(start, task.everyMs);
  });
  return {
    async stop() {
      stopping = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}

async function keepPartitions(sql: Sql): Promise<void> {
  const { failed } = await ensureBodyPartitions(sql, { days: await listRetention(sql) });
  if (failed) log().warn({ failed }, "body partitions could not be made; the default one takes the rows");
  await dropExpiredBodies(sql);
}
