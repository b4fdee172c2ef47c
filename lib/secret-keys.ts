import { env } from "./env.ts";
import { parseSecretKey } from "./sources/secrets.ts";

/** Keys that open stored secrets: SECRET_KEY's bytes, and those of the one before it while it is still given. */
export function secretKeys(): Buffer[] {
  const { SECRET_KEY, SECRET_KEY_OLD } = env();
  if (!SECRET_KEY) throw new Error("SECRET_KEY is not set");
  return [SECRET_KEY, SECRET_KEY_OLD].flatMap((text) => (text ? [parseSecretKey(text)] : []));
}
