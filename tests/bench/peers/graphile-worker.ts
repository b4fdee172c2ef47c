import { Logger, type Runner, run, runMigrations } from "graphile-worker";
import { answerQuestions } from "../support/peer.ts";
import { chosenGrant } from "./grant.ts";

const connectionString = process.env.DATABASE_URL ?? "";
const concurrentJobs = Number(process.env.CONCURRENCY);
const silent = new Logger(() => () => {});

/** As its documentation says under "Performance": many jobs fetched and completed at a time. */
const batching =
  process.env.LOCAL_QUEUE === undefined
    ? {}
    : {
        localQueue: { size: Number(process.env.LOCAL_QUEUE) },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      };

let runner: Runner | undefined;

answerQuestions({
  prepare: () => runMigrations({ connectionString, logger: silent }),
  async start() {
    runner = await run({
      connectionString,
      noHandleSignals: true,
      logger: silent,
      taskList: {
        grant: (payload, { withPgClient }) => withPgClient((client) => chosenGrant(client, payload)),
      },
      preset: { worker: { concurrentJobs, maxPoolSize: concurrentJobs + 2, ...batching } },
    });
  },
  async stop() {
    await runner?.stop();
  },
});
