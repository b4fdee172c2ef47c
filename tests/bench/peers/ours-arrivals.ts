import { createHash } from "node:crypto";
import { connect, type Sql } from "#db/client.ts";
import { storeReceipts } from "#lib/receive/store-receipts.ts";
import { createWorkerHint } from "#lib/receive/worker-hint.ts";
import { continueTrace } from "#lib/telemetry/trace-context.ts";
import { type ArrivalOrder, letArrive } from "../support/arrivals.ts";
import { answerQuestions } from "../support/peer.ts";

/** Stores receipts and tells the worker, as the web process does behind its verification. */
const url = process.env.DATABASE_URL ?? "";
const sql = connect({ url, max: 4, name: "counterfoil receive" }) as unknown as Sql;
const hint = createWorkerHint(connect({ url, max: 1, name: "counterfoil hint" }) as unknown as Sql);

answerQuestions({
  run: (order: ArrivalOrder) =>
    letArrive(order, async (text, invoice) => {
      const body = Buffer.from(text);
      const digest = createHash("sha256").update(body).digest();
      const { id } = JSON.parse(text) as { id: string };
      await storeReceipts(sql, [
        {
          sourceId: "stripe",
          account: "acct_acme",
          eventId: id,
          type: "invoice.paid",
          mode: "live",
          subject: invoice,
          apiVersion: null,
          contentDigest: digest,
          bodyDigest: digest,
          body,
          headers: { "content-type": "application/json" },
          secretFingerprint: "bench",
          trace: continueTrace(null),
          parentTrace: null,
          origin: "webhook",
          retentionDays: 30,
          guardsBody: false,
          state: { status: "pending" },
        },
      ]);
      hint();
    }),
});
