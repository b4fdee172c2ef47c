import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "#db/embedded/files.ts";

export type GeneratedSecrets = { secretKey: string; consoleToken: string };

/**
 * SECRET_KEY as given, or DATA_DIR/secret-key; and the token of CONTRACT §10. Files of mode 0600, made once and kept:
 * the key decrypts what the database holds. The caller holds the lock on DATA_DIR.
 */
export async function prepareSecrets(
  dataDir: string,
  givenKey: string | undefined,
): Promise<GeneratedSecrets> {
  return {
    secretKey:
      givenKey ?? (await readOrMake(join(dataDir, "secret-key"), () => randomBytes(32).toString("base64"))),
    consoleToken: await readOrMake(join(dataDir, "console-token"), () =>
      randomBytes(32).toString("base64url"),
    ),
  };
}

async function readOrMake(path: string, make: () => string): Promise<string> {
  const kept = (await readPrivateFile(path))?.trim();
  if (kept) {
    if (Buffer.from(kept, "base64").length === 32) return kept;
    throw new Error(
      `${path} is damaged: it should be one line, 32 bytes in base64. Restore it from a backup.`,
    );
  }
  const made = make();
  await writePrivateFile(path, `${made}\n`);
  return made;
}
