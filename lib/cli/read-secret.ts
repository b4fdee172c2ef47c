import { readFile } from "node:fs/promises";
import { text as readStream } from "node:stream/consumers";
import { type Arguments, text } from "./command.ts";
import { CliFailure, EXIT } from "./failure.ts";

export const SECRET_OPTIONS = { secret: { type: "string" }, "secret-file": { type: "string" } } as const;

/** From --secret-file (- is the standard input), or --secret, which other users of the machine can see. */
export async function readSecret(args: Arguments): Promise<string | undefined> {
  const file = text(args, "secret-file");
  if (!file) return text(args, "secret");
  if (file === "-") return (await readStream(process.stdin)).trim();
  const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CliFailure(`${file} cannot be read (${error.code}).`, EXIT.usage);
  });
  return content.trim();
}
