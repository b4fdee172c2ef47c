import type { Sql, Tx } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { releaseConfirmed, retryTakenKeys } from "#lib/inbox/release-confirmed.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import type { ChecklistItem, SenderContract } from "#lib/sources/contract-schema.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { writeAudit } from "./audit.ts";
import { describeSource, type SourceView } from "./describe-source.ts";

export type ConfirmContract = { id: string; item: ChecklistItem; reason: string };

/** `released`: events that waited for the contract and went on with this confirmation; `waiting`: those that still do. */
export type Confirmed = { source: SourceView; released: number; waiting: number };

/**
 * Records that a person has confirmed an item of a sender's checklist. The last one releases the events that waited,
 * in the same transaction. The same item again changes nothing.
 */
export async function confirmContract(
  sql: Sql,
  actor: Actor,
  request: ConfirmContract,
): Promise<Outcome<Confirmed>> {
  return await retryTakenKeys(
    async () => (await sql.begin((tx) => confirm(tx, actor, request))) as Outcome<Confirmed>,
  );
}

async function confirm(
  tx: Tx,
  actor: Actor,
  { id, item, reason }: ConfirmContract,
): Promise<Outcome<Confirmed>> {
  await tx`select from sources where id = ${id} for no key update`;
  const before = await describeSource(tx, id);
  if (!before) return refuse("not_found", "There is no such source.");
  const adapter = adapterOf(before.kind);
  const current = adapter?.hasChecklist ? adapter.checkContract?.(before.contract) : undefined;
  if (!current) return refuse("unacceptable", "Sources of this kind have no checklist.");
  const contract = current.ok ? (current.contract as SenderContract) : null;
  if (contract?.confirmed.includes(item)) return await answer(tx, id, 0);
  const confirmed = [...(contract?.confirmed ?? []), item];
  const next = contract ? adapter!.checkContract!({ ...contract, confirmed }) : current;
  if (!next.ok) return refuse("unacceptable", `This cannot be confirmed yet: ${next.problems.join("; ")}.`);
  await tx`update sources set contract = ${tx.json(next.contract as never)}, updated_at = now() where id = ${id}`;
  const released = await releaseConfirmed(tx, id);
  await writeAudit(tx, actor, {
    action: "source.confirm",
    target: `source:${id}`,
    reason,
    before: { confirmed: contract?.confirmed ?? [] },
    after: { item, confirmed, released },
  });
  return await answer(tx, id, released);
}

async function answer(tx: Tx, id: string, released: number): Promise<Outcome<Confirmed>> {
  const [row] = await tx<{ waiting: number }[]>`
    select count(*)::int as waiting from inbox_events
    where source_id = ${id} and status = 'waiting' and waits_kind = 'contract'`;
  return succeed({ source: (await describeSource(tx, id))!, released, waiting: row!.waiting });
}
