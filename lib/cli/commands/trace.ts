import { getInvoice } from "#lib/api/endpoints/inbox.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../failure.ts";
import { showText, writeTable } from "../table.ts";

export const trace: Command = {
  name: "trace",
  usage: "SOURCE ACCOUNT INVOICE",
  summary: "Tell everything that happened to an invoice",
  options: {},
  positionals: ["SOURCE", "ACCOUNT", "INVOICE"],
  async run({ positionals: [source, account, invoice] }, { client, print }) {
    const found = await client(getInvoice, {
      params: { source: source!, account: account!, invoice: invoice! },
    });
    print(found, () => {
      const rows = found.items.map(({ at, title, why }) => [at, title, why ?? ""]);
      return `${showText(found.sentence)}\n\n${writeTable(["when", "what", "why"], rows)}`;
    });
    return EXIT.done;
  },
};
