import { postRestored } from "#lib/api/endpoints/restored.ts";
import { type Command, need } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";
import { showText } from "../table.ts";

export const restored: Command = {
  name: "restored",
  usage: "--at TIME --reason TEXT",
  summary:
    "After a restore from a backup of that time: hold the outbox for review, and reconcile from then on",
  options: { at: { type: "string" }, reason: { type: "string" } },
  positionals: [],
  async run(args, { client, print }) {
    const at = Date.parse(need(args, "at"));
    if (Number.isNaN(at)) throw new CliFailure("--at is no time like 2026-03-03T10:00:00Z.", EXIT.usage);
    const body = { at: new Date(at).toISOString(), reason: need(args, "reason") };
    const { held, paused, runs, uncovered } = await client(postRestored, { body });
    print({ held, paused, runs, uncovered }, () =>
      [
        `Held       ${held} messages for review`,
        `Paused     ${paused.join(", ") || "no destination"}; resume each once its messages were reviewed`,
        ...runs.map(({ source, run }) => `Reconciles ${showText(source)}, run ${run}`),
        ...uncovered.map(
          (source) => `Not covered ${showText(source)}: ask its sender for what came since then`,
        ),
      ].join("\n"),
    );
    return EXIT.done;
  },
};
