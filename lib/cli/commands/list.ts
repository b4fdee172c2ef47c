import { listInbox } from "#lib/api/endpoints/inbox.ts";
import { type Command, text } from "../command.ts";
import { EXIT } from "../failure.ts";
import { writeTable } from "../table.ts";

const FILTERS = ["status", "source", "type", "subject", "q", "since", "until", "limit", "cursor"];

export const list: Command = {
  name: "list",
  usage: FILTERS.map((name) => `[--${name} …]`).join(" "),
  summary: "List inbox events, newest first",
  options: Object.fromEntries(FILTERS.map((name) => [name, { type: "string" as const }])),
  positionals: [],
  async run(args, { client, print }) {
    const query = Object.fromEntries(FILTERS.map((name) => [name, text(args, name)]));
    const page = await client(listInbox, { query });
    print(page, () => {
      const rows = page.items.map((item) => [
        item.receivedAt,
        item.outcome ?? item.failureClass ?? item.status,
        item.type,
        item.subject,
        item.id,
      ]);
      const table = writeTable(["received", "state", "type", "subject", "id"], rows);
      return page.nextCursor ? `${table}\nmore: --cursor ${page.nextCursor}` : table;
    });
    return EXIT.done;
  },
};
