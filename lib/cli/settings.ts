import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isLoopbackHost } from "#lib/access/loopback.ts";
import { EnvError, parseEnv } from "#lib/env.ts";
import { CliFailure, EXIT } from "./failure.ts";

export type Settings = {
  /** Where the server is asked, without a slash at the end. */
  url: string;
  /** What its pages are called. */
  publicUrl: string;
  dataDir: string;
  /** Null where neither ADMIN_TOKEN nor the file of the start is at hand. */
  token: string | null;
};

/** From the same variables as the server: run it with the same environment and it finds the server and its token. */
export async function readSettings(variables: Record<string, string | undefined>): Promise<Settings> {
  const env = readEnv(variables);
  const given = variables.COUNTERFOIL_URL?.trim().replace(/\/+$/, "");
  if (given && !URL.canParse(given)) {
    throw new CliFailure("COUNTERFOIL_URL: must be a URL like http://127.0.0.1:3000", EXIT.usage);
  }
  // The API answers under a loopback name only, whatever the public one is.
  const local = isLoopbackHost(new URL(env.PUBLIC_URL).host)
    ? env.PUBLIC_URL
    : `http://127.0.0.1:${env.PORT}`;
  return {
    url: given || local,
    publicUrl: env.PUBLIC_URL,
    dataDir: env.DATA_DIR,
    token: env.ADMIN_TOKEN ?? (await readLine(join(env.DATA_DIR, "console-token"))),
  };
}

function readEnv(variables: Record<string, string | undefined>) {
  try {
    return parseEnv(variables);
  } catch (error) {
    if (error instanceof EnvError) throw new CliFailure(error.message, EXIT.usage);
    throw error;
  }
}

async function readLine(path: string): Promise<string | null> {
  try {
    return (await readFile(path, "utf8")).trim() || null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new CliFailure(`${path} cannot be read (${code}).`);
  }
}
