import { parseArgs } from "node:util";
import { createClient } from "./client.ts";
import type { Command } from "./command.ts";
import { check } from "./commands/check.ts";
import { correct } from "./commands/correct.ts";
import { list } from "./commands/list.ts";
import { operationCommands } from "./commands/operations.ts";
import { reconcile } from "./commands/reconcile.ts";
import { replay } from "./commands/replay.ts";
import { resolve } from "./commands/resolve.ts";
import { restored } from "./commands/restored.ts";
import { sample } from "./commands/sample.ts";
import { secretRotate } from "./commands/secret-rotate.ts";
import { show } from "./commands/show.ts";
import { sourceAdd } from "./commands/source-add.ts";
import { trace } from "./commands/trace.ts";
import { CliFailure, EXIT } from "./failure.ts";
import { readSettings } from "./settings.ts";

export const COMMANDS: readonly Command[] = [
  check,
  list,
  show,
  trace,
  replay,
  resolve,
  ...operationCommands,
  correct,
  reconcile,
  restored,
  sourceAdd,
  secretRotate,
  sample,
];

export type Output = { out(text: string): void; error(text: string): void };

/** Runs one command line (without node and file) and gives the exit status. Nothing but surprises is thrown. */
export async function runCli(
  argv: readonly string[],
  variables: Record<string, string | undefined>,
  output: Output,
): Promise<number> {
  try {
    const command = findCommand(argv);
    if (!command || argv.includes("--help")) {
      const asked = argv.length === 0 || argv.includes("--help") || argv[0] === "help";
      (asked ? output.out : output.error)(writeHelp(command));
      return asked ? EXIT.done : EXIT.usage;
    }
    const { json, ...args } = readArguments(command, argv);
    const settings = await readSettings(variables);
    return await command.run(args, {
      client: createClient(settings),
      settings,
      print: (value, show) => output.out(json ? JSON.stringify(value, null, 2) : show()),
    });
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    output.error(error.message);
    return error.exit;
  }
}

function findCommand(argv: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name === argv.slice(0, name.split(" ").length).join(" "));
}

function readArguments(command: Command, argv: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: argv.slice(command.name.split(" ").length),
      options: { ...command.options, json: { type: "boolean" } },
      allowPositionals: true,
    });
    if (positionals.length !== command.positionals.length) {
      throw new CliFailure(`Usage: ${command.name} ${command.usage}`, EXIT.usage);
    }
    return { values, positionals, json: values.json === true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS")) {
      throw new CliFailure(
        `${(error as Error).message}\nUsage: ${command.name} ${command.usage}`,
        EXIT.usage,
      );
    }
    throw error;
  }
}

function writeHelp(command: Command | undefined): string {
  const commands = command ? [command] : COMMANDS;
  return [
    "Usage: npm run cli -- COMMAND [--json]",
    "",
    ...commands.flatMap(({ name, usage, summary }) => [`  ${name} ${usage}`, `      ${summary}`]),
    "",
    "The server is looked for at COUNTERFOIL_URL, else where HOST and PORT say; the token is ADMIN_TOKEN, else the one in",
    "DATA_DIR. Exit status: 0 done, 1 refused or a rule is broken, 2 wrong command line, 3 no answer.",
  ].join("\n");
}
