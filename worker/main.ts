import { connect, type Sql } from "#db/client.ts";
import { checkCompatibility } from "#db/migrate.ts";
import { databaseUrl } from "#lib/database-url.ts";
import { env } from "#lib/env.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { onStop } from "#lib/supervise/on-stop.ts";
import { complain } from "#lib/supervise/terminal.ts";
import { startWatchdog } from "#lib/supervise/watchdog.ts";
import { startHeartbeat } from "#lib/telemetry/heartbeat.ts";
import { describeError, log } from "#lib/telemetry/log.ts";
import { publishMetrics } from "#lib/telemetry/publish-metrics.ts";
import { startTracing, stopTracing } from "#lib/telemetry/tracing.ts";
import { openConnections } from "./connections.ts";
import { startInboxLoop } from "./inbox.ts";
import { startOperationsLoop } from "./operations.ts";
import { startReconcileLoop } from "./reconcile.ts";
import { startSchedule } from "./schedule.ts";
import { startSender } from "./sender.ts";
import { startSuspects } from "./suspects.ts";

/** Rows per transaction: from 100 on, more rows gained nothing and held their locks for longer. */
const BATCH_SIZE = 100;
/** Milliseconds. */
const POLL_INTERVAL = 500;
/** Milliseconds in which running transactions finish; what does not is rolled back by the end of its connection. */
const STOP_LIMIT = 6_500;

process.env.COUNTERFOIL_PROCESS ??= "worker";

/** `npm run worker`, and the supervisor's child: one more worker on the database, on this or another machine. */
async function start(): Promise<void> {
  const { DATABASE_DIRECT_URL, WORKER_CONCURRENCY, WORKER_STUCK_SECONDS } = env();
  startWatchdog(WORKER_STUCK_SECONDS);
  const { sql, openBook, end } = await openConnections("counterfoil worker", WORKER_CONCURRENCY + 9);
  const listener = connect({
    url: DATABASE_DIRECT_URL ?? (await databaseUrl()),
    max: 1,
    name: "counterfoil listener",
  }) as unknown as Sql;

  await checkCompatibility(sql);
  await startTracing();
  const heartbeat = startHeartbeat(sql, "worker");
  const figures = publishMetrics(sql, "worker");
  const suspects = await startSuspects(sql, heartbeat.id);
  const sender = startSender(sql, heartbeat.id);
  const book = openBook(heartbeat.id);
  const loop = startInboxLoop({
    sql,
    workerId: heartbeat.id,
    book,
    concurrency: WORKER_CONCURRENCY,
    batchSize: BATCH_SIZE,
    pollInterval: POLL_INTERVAL,
    // What was applied may have left something to send.
    onBatch: ({ settled }) => {
      if (settled.done) sender.wake();
    },
  });
  const schedule = startSchedule(sql, loop.wake);
  const operations = startOperationsLoop(sql);
  const reconciling = startReconcileLoop(sql);
  // A hint saves the wait for the next look. Those sent while the listener was away are gone, so it looks on return.
  listener.listen(INBOX_CHANNEL, loop.wake, loop.wake).catch((error) => {
    log().warn({ err: error }, "no hints on this connection; polling goes on");
  });
  onStop(async () => {
    await Promise.all([
      loop.stop(),
      schedule.stop(),
      suspects.stop(),
      operations.stop(),
      reconciling.stop(),
      sender.stop(),
    ]);
    await book.close();
    await Promise.all([heartbeat.stop(), figures.stop(), stopTracing()]);
    await Promise.all([end(), listener.end({ timeout: 1 })]);
  }, STOP_LIMIT);
  log().info({ worker: heartbeat.id }, "worker started");
}

start().catch((error) => {
  const { code, message } = describeError(error);
  complain(`The worker cannot start. ${message || code}`);
  process.exit(1);
});
