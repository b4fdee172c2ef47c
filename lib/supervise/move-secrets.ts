import type { Sql } from "#db/client.ts";
import { reencryptSecrets } from "#lib/sources/reencrypt-secrets.ts";
import { parseSecretKey } from "#lib/sources/secrets.ts";
import { log } from "#lib/telemetry/log.ts";
import { say } from "./terminal.ts";

/** After a change of SECRET_KEY: what SECRET_KEY_OLD opens moves to the new key; what no key opens is named. */
export async function moveSecrets(sql: Sql, key: Buffer, oldKey: string | undefined): Promise<void> {
  const { moved, unreadable } = await reencryptSecrets(sql, key, oldKey ? [parseSecretKey(oldKey)] : []);
  if (moved > 0) say(`Secrets moved to the new SECRET_KEY: ${moved}`);
  if (moved > 0 && unreadable.length === 0) say("SECRET_KEY_OLD is not needed any more");
  if (unreadable.length > 0) {
    log().error(
      { sources: unreadable },
      "these sources have secrets under another SECRET_KEY: set it as SECRET_KEY_OLD, or enter the secrets again",
    );
  }
}
