import { insertEveryState, insertHostile, insertSource } from "./fixtures.ts";
import { insertConflict, insertOperation } from "./operations.ts";
import { type App, randomInvoice } from "./test.ts";

export type KnownPages = {
  invoice: string;
  event: string;
  hostile: string;
  paths: [name: string, path: string][];
};

/** Every page of the console, each with something to show. */
export async function preparePages(app: App): Promise<KnownPages> {
  await insertSource(app.sql);
  const states = await insertEveryState(app.sql);
  const hostile = await insertHostile(app.sql);
  const invoice = randomInvoice();
  const first = await app.deliver(invoice, { type: "invoice.payment_succeeded" });
  await app.untilDone(first.body.event);
  const second = await app.deliver(invoice, { type: "invoice.paid" });
  await app.untilDone(second.body.event);
  const conflict = await insertConflict(app.sql, states.failed!);
  const operation = await insertOperation(app.sql, Object.values(states));
  const { source, account } = app.sample;
  return {
    invoice,
    event: second.body.event,
    hostile,
    paths: [
      ["overview", "/"],
      ["inbox", "/inbox?range=all"],
      ["inbox without a match", "/inbox?q=nothing-has-this-id"],
      ["event", `/inbox/${second.body.event}`],
      ["failed event", `/inbox/${states.failed}`],
      ["event in conflict", `/inbox/${conflict}`],
      ["operations", "/operations"],
      ["operation", `/operations/${operation}`],
      ["sources", "/sources"],
      ["source", `/sources/${source}`],
      ["rejections", "/rejections"],
      ["reconciliation", "/reconciliation"],
      ["hostile event", `/inbox/${hostile}`],
      ["unknown event", "/inbox/00000000-0000-7000-8000-000000000000"],
      ["outbox", "/outbox"],
      ["invoices", "/invoices"],
      ["invoice", `/invoices/${source}/${account}/${invoice}`],
      ["workspaces", "/workspaces"],
      ["workers", "/workers"],
      ["workspace", "/workspaces/ws_sample"],
    ],
  };
}
