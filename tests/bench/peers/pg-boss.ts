import pg from "pg";
import { PgBoss } from "pg-boss";
import { answerQuestions } from "../support/peer.ts";
import { grantOf } from "./grant.ts";

const QUEUE = "grant";
const connectionString = process.env.DATABASE_URL ?? "";
const pool = new pg.Pool({ connectionString, max: 10 });
const boss = new PgBoss({ connectionString, max: 10 });
boss.on("error", (error) => console.error(error));

answerQuestions({
  async prepare() {
    await boss.start();
    await boss.createQueue(QUEUE);
  },
  async start() {
    // One job at a time with a look every half second is two jobs a second: this is what a hurried user turns on.
    const settings = {
      batchSize: 50,
      localConcurrency: 4,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await boss.work(QUEUE, settings, async (jobs) => {
      await Promise.all(jobs.map(({ data }) => pool.query(grantOf(data))));
    });
  },
  stop: () => boss.offWork(QUEUE),
});
