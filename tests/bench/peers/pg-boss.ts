import pg from "pg";
import { PgBoss } from "pg-boss";
import { answerQuestions } from "../support/peer.ts";
import { chosenGrant } from "./grant.ts";

const QUEUE = "grant";
const connectionString = process.env.DATABASE_URL ?? "";
const pool = new pg.Pool({ connectionString, max: 10 });
const boss = new PgBoss({ connectionString, max: 10 });
boss.on("error", (error) => console.error(error));

async function grant({ data }: { data: unknown }): Promise<void> {
  const client = await pool.connect();
  try {
    await chosenGrant(client, data);
  } finally {
    client.release();
  }
}

answerQuestions({
  async prepare() {
    await boss.start();
    await boss.createQueue(QUEUE);
  },
  async start() {
    // As it comes it takes one job every two seconds; this is what its documentation offers to somebody in a hurry.
    const settings = {
      batchSize: 50,
      localConcurrency: 4,
      burstWhenBatchFull: true,
      pollingIntervalSeconds: 0.5,
    };
    await boss.work(QUEUE, settings, async (jobs) => {
      await Promise.all(jobs.map(grant));
    });
  },
  stop: () => boss.offWork(QUEUE),
});
