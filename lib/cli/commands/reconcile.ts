import { setTimeout as sleep } from "node:timers/promises";
import { getReconciliation, listGaps, postReconciliation } from "#lib/api/endpoints/reconciliations.ts";
import { type Command, need, text } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";
import { showText, writeTable } from "../table.ts";

const DAY = 86_400_000;

export const reconcile: Command = {
  name: "reconcile",
  usage: "SOURCE [--from TIME] [--to TIME] [--repair] [--redeliver] [--reason TEXT]",
  summary:
    "Compare what the sender lists with what is here (the last 3 days), and repair what can be; exit status 1 while gaps are left",
  options: {
    from: { type: "string" },
    to: { type: "string" },
    repair: { type: "boolean" },
    redeliver: { type: "boolean" },
    reason: { type: "string" },
  },
  positionals: ["SOURCE"],
  async run(args, { client, print }) {
    const source = args.positionals[0]!;
    const to = readTime(text(args, "to")) ?? new Date().toISOString();
    const from = readTime(text(args, "from")) ?? new Date(Date.parse(to) - 3 * DAY).toISOString();
    const flags = {
      repair: args.values.repair === true,
      redeliver: args.values.redeliver === true,
    };
    const reason = flags.repair ? need(args, "reason") : text(args, "reason");
    let run = await client(postReconciliation, { body: { source, from, to, ...flags, reason } });
    while (run.status === "pending" || run.status === "running") {
      await sleep(500);
      run = await client(getReconciliation, { params: { id: run.id } });
    }
    const { items: gaps } = await client(listGaps, { query: { run: run.id, status: "open", limit: "200" } });
    print({ run, gaps }, () =>
      [
        `Run      ${run.id} ${run.status}${run.lastError ? `: ${showText(run.lastError)}` : ""}`,
        `Compared ${run.objects} of the sender's list, ${run.entries} entries, ${run.from} to ${run.to}`,
        `Gaps     ${run.gapsFound} found, ${run.gapsRepaired} repaired, ${run.gapsClosed} closed, ${gaps.length} left`,
        ...run.warnings.map((warning) => `Warning  ${showText(warning)}`),
        ...(gaps.length > 0
          ? [
              writeTable(
                ["class", "subject", "why"],
                gaps.map((gap) => [gap.class, gap.subject, gap.why]),
              ),
            ]
          : []),
      ].join("\n"),
    );
    return run.isFull && gaps.length === 0 ? EXIT.done : EXIT.refused;
  },
};

function readTime(given: string | undefined): string | null {
  if (given === undefined) return null;
  const at = Date.parse(given);
  if (Number.isNaN(at)) throw new CliFailure(`${given} is no time like 2026-03-03T10:00:00Z.`, EXIT.usage);
  return new Date(at).toISOString();
}
