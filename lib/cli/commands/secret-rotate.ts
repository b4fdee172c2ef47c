import { rotateSecret } from "#lib/api/endpoints/sources.ts";
import { type Command, text } from "../command.ts";
import { CliFailure, EXIT } from "../failure.ts";
import { readSecret, SECRET_OPTIONS } from "../read-secret.ts";
import { writeTable } from "../table.ts";

export const secretRotate: Command = {
  name: "secret rotate",
  usage: "SOURCE --secret-file FILE [--overlap SECONDS] [--reason TEXT]",
  summary:
    "Give a source a new secret; those before it stay valid for the overlap (a day). FILE - is the standard input",
  options: { ...SECRET_OPTIONS, overlap: { type: "string" }, reason: { type: "string" } },
  positionals: ["SOURCE"],
  async run(args, { client, print }) {
    const secret = await readSecret(args);
    if (!secret) throw new CliFailure("--secret-file is needed.", EXIT.usage);
    const overlap = text(args, "overlap");
    const source = await client(rotateSecret, {
      params: { id: args.positionals[0]! },
      body: { secret, reason: text(args, "reason"), ...(overlap && { overlapSeconds: Number(overlap) }) },
    });
    print(source, () =>
      writeTable(
        ["secret", "since", "until"],
        source.secrets.map(({ fingerprint, createdAt, expiresAt }) => [fingerprint, createdAt, expiresAt]),
      ),
    );
    return EXIT.done;
  },
};
