import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "#db/client.ts";
import { type InboxLoop, startInboxLoop } from "#worker/inbox.ts";
import { answerQuestions } from "../support/peer.ts";

/** The worker's loop as worker/main.ts runs it, with a beginning and an end that the bench decides. */
const concurrency = Number(process.env.CONCURRENCY);
const sql = connect({
  url: process.env.DATABASE_URL ?? "",
  max: concurrency + 2,
  name: "counterfoil worker",
}) as unknown as Sql;
let loop: InboxLoop | undefined;

answerQuestions({
  prepare: async () => void (await sql`select 1`),
  async start() {
    loop = startInboxLoop({ sql, workerId: uuidv7(), concurrency, batchSize: 100, pollInterval: 500 });
  },
  async stop() {
    await loop?.stop();
  },
});
