import postgres from "postgres";
import { keepBusy, type LoadSample } from "../support/load.ts";
import { answerQuestions } from "../support/peer.ts";
import { paidInvoice, randomText, VARYING } from "../support/stripe-traffic.ts";

/** What one commit per event costs at the least: the driver alone, without HTTP, signature or parsing. */
const sql = postgres(process.env.DATABASE_URL ?? "", { max: Number(process.env.POOL) });
const body = paidInvoice((part) => randomText(VARYING[part]), "cus_1");

answerQuestions({
  run({ connections, seconds }: { connections: number; seconds: number }): Promise<LoadSample> {
    const run = randomText(8);
    let count = 0;
    return keepBusy(connections, seconds, async () => {
      const id = `evt_${run}${(count++).toString(36)}`;
      await sql`insert into webhook_events (id, type, body) values (${id}, ${"invoice.paid"}, ${body}) on conflict (id) do nothing`;
    });
  },
});
