import { env } from "#lib/env.ts";
import { parseSecretKey } from "#lib/sources/secrets.ts";

/** SECRET_KEY's bytes. The start makes one where none is set, so it is there. */
export function secretKey(): Buffer {
  const { SECRET_KEY } = env();
  if (!SECRET_KEY) throw new Error("SECRET_KEY is not set");
  return parseSecretKey(SECRET_KEY);
}
