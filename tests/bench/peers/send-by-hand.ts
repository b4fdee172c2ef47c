import postgres from "postgres";
import { answerQuestions } from "../support/peer.ts";
import { type Outgoing, sendOne } from "./send-one.ts";

/**
 * The outbox loop as it is usually written: lock a batch, call, mark it sent, commit. The call is inside the transaction,
 * so a process that dies has its batch sent again, and an attempt leaves no row. That is its price for few statements.
 */
const batch = Number(process.env.IN_FLIGHT);
const sql = postgres(process.env.DATABASE_URL ?? "", { max: 2, onnotice: () => {} });
let running = false;
let loop: Promise<void> = Promise.resolve();

async function round(): Promise<number> {
  return sql.begin(async (tx) => {
    const messages = await tx<Outgoing[]>`
      select id, url, body from outbox where status = 'pending' order by id limit ${batch} for update skip locked`;
    const sent = await Promise.all(
      messages.map((message) =>
        sendOne(message).then(
          () => message.id,
          () => null,
        ),
      ),
    );
    const ids = sent.filter((id) => id !== null);
    await tx`update outbox set status = 'sent', sent_at = now() where id = any(${ids}::uuid[])`;
    return messages.length;
  });
}

answerQuestions({
  prepare: async () => void (await sql`select 1`),
  async start() {
    running = true;
    loop = (async () => {
      while (running) if ((await round()) === 0) await new Promise((done) => setTimeout(done, 50));
    })();
  },
  async stop() {
    running = false;
    await loop;
  },
});
