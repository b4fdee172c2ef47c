import { PgBoss } from "pg-boss";
import { answerQuestions } from "../support/peer.ts";
import { type Outgoing, sendOne } from "./send-one.ts";

/** One job per message. */
const QUEUE = "send";
const batchSize = Number(process.env.IN_FLIGHT);
const boss = new PgBoss({ connectionString: process.env.DATABASE_URL ?? "", max: 10 });
boss.on("error", (error) => console.error(error));

answerQuestions({
  async prepare() {
    await boss.start();
    await boss.createQueue(QUEUE);
  },
  async start() {
    // As it comes it takes one job every two seconds; this is what its documentation offers to somebody in a hurry.
    const settings = {
      batchSize,
      localConcurrency: 1,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await boss.work<Outgoing>(QUEUE, settings, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => sendOne(data)));
    });
  },
  stop: () => boss.offWork(QUEUE),
});
