import { readFile } from "node:fs/promises";
import { putSource } from "#lib/api/endpoints/sources.ts";
import { type Arguments, type Command, need, text } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";
import { readSecret, SECRET_OPTIONS } from "../read-secret.ts";

export const sourceAdd: Command = {
  name: "source add",
  usage:
    "ID (--file FILE | --kind KIND --name NAME --account ACCOUNT --tenant TENANT [--mode test] [--secret-file FILE])",
  summary: "Create or replace a source; FILE has the JSON that PUT /api/v1/sources/ID takes",
  options: {
    file: { type: "string" },
    kind: { type: "string" },
    name: { type: "string" },
    account: { type: "string" },
    tenant: { type: "string" },
    mode: { type: "string" },
    ...SECRET_OPTIONS,
  },
  positionals: ["ID"],
  async run(args, { client, print }) {
    const file = text(args, "file");
    // Whatever it is: the API says what is wrong with it.
    const body = (file ? await readJson(file) : await fromOptions(args)) as never;
    const source = await client(putSource, { params: { id: args.positionals[0]! }, body });
    print(source, () => `${source.name} receives at ${source.webhookUrl}`);
    return EXIT.done;
  },
};

async function fromOptions(args: Arguments): Promise<unknown> {
  const secret = await readSecret(args);
  const mode = text(args, "mode");
  return {
    kind: need(args, "kind"),
    name: need(args, "name"),
    accounts: [{ account: need(args, "account"), tenant: need(args, "tenant"), ...(mode && { mode }) }],
    ...(secret && { secrets: [secret] }),
  };
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? "is not JSON"
        : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new CliFailure(`${path} ${why}.`, EXIT.usage);
  }
}
