import { correctCredits } from "#lib/api/endpoints/corrections.ts";
import { type Command, need } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";

export const correct: Command = {
  name: "correct",
  usage: "WORKSPACE --key KEY --amount=CREDITS --reason TEXT",
  summary: "Correct a balance by hand; the same key again is the same correction. Below 0: --amount=-30",
  options: { key: { type: "string" }, amount: { type: "string" }, reason: { type: "string" } },
  positionals: ["WORKSPACE"],
  async run(args, { client, print }) {
    const amount = need(args, "amount");
    if (!/^[+-]?\d{1,16}$/.test(amount)) throw new CliFailure("--amount is a whole number.", EXIT.usage);
    const answer = await client(correctCredits, {
      params: { id: args.positionals[0]! },
      body: { key: need(args, "key"), amount: Number(amount), reason: need(args, "reason") },
    });
    print(answer, () => `${answer.status}: ${answer.event}`);
    return EXIT.done;
  },
};
