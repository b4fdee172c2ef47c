import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "#db/client.ts";
import { openClaimBook } from "#lib/inbox/claims.ts";
import { type InboxLoop, startInboxLoop } from "#worker/inbox.ts";
import { answerQuestions } from "../support/peer.ts";

/** The worker's loop as worker/main.ts runs it, with a beginning and an end that the bench decides. */
const concurrency = Number(process.env.CONCURRENCY);
const sql = connect({
  url: process.env.DATABASE_URL ?? "",
  max: concurrency + 2,
  name: "counterfoil worker",
}) as unknown as Sql;
const claims = connect({ url: process.env.DATABASE_URL ?? "", max: 1, name: "counterfoil claims" });
const workerId = uuidv7();
const book = openClaimBook(claims as unknown as Sql, workerId, { locks: true });
let loop: InboxLoop | undefined;

answerQuestions({
  prepare: async () => void (await sql`select 1`),
  async start() {
    loop = startInboxLoop({ sql, workerId, book, concurrency, batchSize: 100, pollInterval: 500 });
  },
  async stop() {
    await loop?.stop();
  },
});
