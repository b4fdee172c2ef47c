import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { isSameJson, writeAudit } from "./audit.ts";
import { checkSecrets } from "./check-secrets.ts";
import { describeSource, type SourceView } from "./describe-source.ts";
import { overlapSecrets } from "./store-secrets.ts";

export type RotateSecret = { id: string; secret: string; overlapSeconds: number; reason?: string };

/** Gives a source a new secret; those before it stay valid for the overlap. The same secret again changes nothing. */
export async function rotateSecret(
  sql: Sql,
  actor: Actor,
  key: Buffer,
  { id, secret, overlapSeconds, reason }: RotateSecret,
): Promise<Outcome<SourceView>> {
  return (await sql.begin(async (tx) => {
    await tx`select from sources where id = ${id} for no key update`;
    const before = await describeSource(tx, id);
    if (!before) return refuse("not_found", "There is no such source.");
    const adapter = adapterOf(before.kind);
    if (!adapter) return refuse("unacceptable", "This source is built in and has no secrets.");
    const unusable = checkSecrets(adapter, [secret], before.contract);
    if (unusable) return unusable;
    await overlapSecrets(tx, key, id, secret, overlapSeconds);
    const after = (await describeSource(tx, id))!;
    const [was, is] = [listSecrets(before), listSecrets(after)];
    if (!isSameJson(was, is)) {
      await writeAudit(tx, actor, {
        action: "source.rotate",
        target: `source:${id}`,
        reason,
        before: was,
        after: is,
      });
    }
    return succeed(after);
  })) as Outcome<SourceView>;
}

const listSecrets = ({ secrets }: SourceView) => ({
  secrets: secrets.map(({ fingerprint, expiresAt }) => ({ fingerprint, expiresAt })),
});
