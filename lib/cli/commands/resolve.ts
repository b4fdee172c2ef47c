import { resolveEvent } from "#lib/api/endpoints/resolve.ts";
import { type Command, need, text } from "../command.ts";
import { EXIT } from "../failure.ts";
import { showText } from "../table.ts";

export const resolve: Command = {
  name: "resolve",
  usage: "ID --decision retry|dismiss|accept_content --reason TEXT [--conflict ID]",
  summary: "Close what a person must close: an event, or with --conflict one of its conflicts",
  options: { decision: { type: "string" }, reason: { type: "string" }, conflict: { type: "string" } },
  positionals: ["ID"],
  async run(args, { client, print }) {
    const conflictId = text(args, "conflict");
    const answer = await client(resolveEvent, {
      params: { id: args.positionals[0]! },
      // Whatever it is: the API says what is wrong with it.
      body: {
        decision: need(args, "decision") as never,
        reason: need(args, "reason"),
        ...(conflictId && { conflictId }),
      },
    });
    print(answer, () => `${answer.status}: ${showText(answer.why ?? "-")}`);
    return EXIT.done;
  },
};
