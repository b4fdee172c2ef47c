import type { ParseArgsOptionsConfig } from "node:util";
import type { Client } from "./client.ts";
import { CliFailure, EXIT } from "./failure.ts";
import type { Settings } from "./settings.ts";

export type Arguments = {
  /** Options by name; lists for those that may be repeated. */
  values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  positionals: string[];
};

export type Context = {
  client: Client;
  settings: Settings;
  /** Prints a value as JSON with --json, else what `show` makes of it. */
  print(value: unknown, show: () => string): void;
};

export type Command = {
  /** One or two words. */
  name: string;
  /** After the name. */
  usage: string;
  summary: string;
  options: ParseArgsOptionsConfig;
  /** Names of the positional arguments, all needed. */
  positionals: readonly string[];
  /** Gives the exit status. */
  run(args: Arguments, context: Context): Promise<number>;
};

/** A text option that the command cannot do without. */
export function need(args: Arguments, name: string): string {
  const value = text(args, name);
  if (!value) throw new CliFailure(`--${name} is needed.`, EXIT.usage);
  return value;
}

export function text({ values }: Arguments, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
