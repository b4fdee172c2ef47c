import type { Sql, Tx } from "#db/client.ts";
import type { SourceKind } from "#db/states.ts";
import type { Actor } from "#lib/access/actor.ts";
import { releaseConfirmed, retryTakenKeys } from "#lib/inbox/release-confirmed.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { MANUAL_SOURCE } from "#lib/sources/manual.ts";
import type { SourceSettings } from "#lib/sources/settings.ts";
import { isSameJson, writeAudit } from "./audit.ts";
import { checkSecrets } from "./check-secrets.ts";
import { describeSource, type SourceView, summarizeSource } from "./describe-source.ts";
import { type AccountRequest, normalizeAccounts } from "./normalize-accounts.ts";
import { storeAccounts } from "./store-accounts.ts";
import { replaceSecrets } from "./store-secrets.ts";
import { Undo } from "./undo.ts";

export type PutSource = {
  id: string;
  kind: SourceKind;
  name: string;
  /** Left out: those that are there stay, because nobody can read them in order to send them again. */
  secrets?: string[];
  accounts: AccountRequest[];
  contract?: unknown;
  settings: SourceSettings;
  /** Refuse when there is one already: whoever adds a source does not mean to replace another. */
  onlyNew?: boolean;
};

export type PutResult = { created: boolean; source: SourceView };

/** Creates or replaces a source. The same request again changes nothing. `key` is SECRET_KEY's bytes. */
export async function putSource(
  sql: Sql,
  actor: Actor,
  key: Buffer,
  request: PutSource,
): Promise<Outcome<PutResult>> {
  const adapter = adapterOf(request.kind);
  if (!adapter) return refuse("unacceptable", `Sources of kind ${request.kind} are built in.`);
  if (request.id === MANUAL_SOURCE) return refuse("unacceptable", `The source ${MANUAL_SOURCE} is built in.`);
  const accounts = normalizeAccounts(request.accounts);
  if (!accounts.ok) return accounts;
  const given = request.contract ?? null;
  const checked = adapter.checkContract?.(given);
  if (!checked && given !== null)
    return refuse("unacceptable", `Sources of kind ${request.kind} have no contract.`);
  if (checked && !checked.ok)
    return refuse("unacceptable", `The contract is not usable: ${checked.problems.join("; ")}.`);
  // Without a document of its own a source follows the preset, also when that is corrected later.
  const contract = given === null ? null : (checked?.contract ?? null);
  const unusable = checkSecrets(adapter, request.secrets ?? [], contract);
  if (unusable) return unusable;

  return await Undo.catch(() =>
    retryTakenKeys(() =>
      sql.begin(async (tx) => {
        const { created, before } = await lockOrCreate(tx, request);
        if (before && request.onlyNew)
          Undo.unless(refuse("conflict", "There is a source of this name already."));
        if (before) await changeKind(tx, before, request.kind);
        await tx`
          update sources set kind = ${request.kind}, name = ${request.name}, settings = ${tx.json(request.settings)},
            contract = ${contract === null ? null : tx.json(contract as never)} where id = ${request.id}`;
        Undo.unless(await storeAccounts(tx, request.id, accounts.value));
        if (request.secrets) await replaceSecrets(tx, key, request.id, request.secrets);
        if (!isSameJson(before?.contract, contract)) await releaseConfirmed(tx, request.id);
        const after = await finish(tx, actor, before, request.id);
        return succeed({ created, source: after });
      }),
    ),
  );
}

async function lockOrCreate(
  tx: Tx,
  { id, kind, name }: PutSource,
): Promise<{ created: boolean; before: SourceView | null }> {
  const { count } =
    await tx`insert into sources (id, kind, name) values (${id}, ${kind}, ${name}) on conflict do nothing`;
  if (count === 1) return { created: true, before: null };
  // Not FOR UPDATE: that would hold up the receiver, whose inserts refer to this row.
  await tx`select from sources where id = ${id} for no key update`;
  return { created: false, before: await describeSource(tx, id) };
}

async function changeKind(tx: Tx, before: SourceView, kind: SourceKind): Promise<void> {
  if (before.kind === kind) return;
  const [event] = await tx`select from inbox_events where source_id = ${before.id} limit 1`;
  if (event)
    Undo.unless(
      refuse("conflict", `This source has events of kind ${before.kind}, so its kind cannot change.`),
    );
}

async function finish(tx: Tx, actor: Actor, before: SourceView | null, id: string): Promise<SourceView> {
  const after = (await describeSource(tx, id))!;
  const [was, is] = [summarizeSource(before), summarizeSource(after)];
  if (isSameJson(was, is)) return after;
  await tx`update sources set updated_at = now() where id = ${id}`;
  const action = before ? "source.replace" : "source.create";
  await writeAudit(tx, actor, { action, target: `source:${id}`, before: was, after: is });
  return (await describeSource(tx, id))!;
}
