import { replayEvent } from "#lib/api/endpoints/inbox.ts";
import { type Command, need } from "../command.ts";
import { EXIT } from "../failure.ts";
import { showText } from "../table.ts";

export const replay: Command = {
  name: "replay",
  usage: "ID --reason TEXT [--dry-run]",
  summary: "Replay an event, or with --dry-run say what that would come to; exit status 1 when it is blocked",
  options: { reason: { type: "string" }, "dry-run": { type: "boolean" } },
  positionals: ["ID"],
  async run(args, { client, print }) {
    const body = { reason: need(args, "reason"), dryRun: args.values["dry-run"] === true };
    const answer = await client(replayEvent, { params: { id: args.positionals[0]! }, body });
    print(answer, () => `${answer.verdict}: ${showText(answer.why)}`);
    return answer.verdict === "blocked" ? EXIT.refused : EXIT.done;
  },
};
