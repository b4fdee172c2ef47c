import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { releaseConfirmed, retryTakenKeys } from "#lib/inbox/release-confirmed.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { isSameJson, writeAudit } from "./audit.ts";
import { describeSource, type SourceView } from "./describe-source.ts";

/**
 * Gives a source another contract and leaves all else as it is; null is the kind's preset. Events that wait for the
 * contract go on when this one has everything confirmed. The same again changes nothing.
 */
export async function setContract(
  sql: Sql,
  actor: Actor,
  id: string,
  given: unknown,
): Promise<Outcome<SourceView>> {
  const change = () =>
    sql.begin(async (tx) => {
      await tx`select from sources where id = ${id} for no key update`;
      const before = await describeSource(tx, id);
      if (!before) return refuse("not_found", "There is no such source.");
      const checked = adapterOf(before.kind)?.checkContract?.(given);
      if (!checked) return refuse("unacceptable", `Sources of kind ${before.kind} have no contract.`);
      if (!checked.ok)
        return refuse("unacceptable", `The contract is not usable: ${checked.problems.join("; ")}.`);
      const contract = given === null ? null : checked.contract;
      if (isSameJson(before.contract, contract)) return succeed(before);
      await tx`
        update sources set contract = ${contract === null ? null : tx.json(contract as never)}, updated_at = now()
        where id = ${id}`;
      const released = await releaseConfirmed(tx, id);
      await writeAudit(tx, actor, {
        action: "source.contract",
        target: `source:${id}`,
        before: { contract: before.contract },
        after: { contract, released },
      });
      return succeed((await describeSource(tx, id))!);
    });
  return (await retryTakenKeys(change)) as Outcome<SourceView>;
}
