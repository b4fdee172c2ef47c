import type { Tx } from "#db/client.ts";
import { releaseByAccounts } from "#lib/inbox/release.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { baseOfAccount } from "#lib/receive/judge.ts";
import type { NormalAccount } from "./normalize-accounts.ts";

/**
 * Makes `accounts` the source's accounts, and arms the events that waited for one of them. Refuses what would tear
 * keys or links apart. Tenants named for the first time come into being.
 */
export async function storeAccounts(
  tx: Tx,
  sourceId: string,
  accounts: readonly NormalAccount[],
): Promise<Outcome<null>> {
  const before = await tx<{ account: string; own: boolean }[]>`
    select account, own from source_accounts where source_id = ${sourceId} for update`;
  const refusal =
    (await checkOwnBase(tx, sourceId, before, accounts)) ?? (await checkLinks(tx, sourceId, accounts));
  if (refusal) return refusal;
  await upsert(tx, sourceId, accounts);
  const names = accounts.map(({ account }) => account);
  await tx`delete from source_accounts where source_id = ${sourceId} and account <> all(${names}::text[])`;
  await releaseByAccounts(
    tx,
    sourceId,
    names.filter((name) => !before.some(({ account }) => account === name)),
  );
  return succeed(null);
}

async function upsert(tx: Tx, sourceId: string, accounts: readonly NormalAccount[]): Promise<void> {
  const tenants = [...new Set(accounts.map(({ tenant }) => tenant))].sort();
  await tx`insert into tenants (id) select unnest(${tenants}::text[]) on conflict do nothing`;
  await tx`
    insert into source_accounts (source_id, account, tenant_id, mode, own)
    select ${sourceId}, account, tenant, mode, own
    from json_to_recordset(${JSON.stringify(accounts)}::text::json) as row (account text, tenant text, mode text, own bool)
    order by account
    on conflict (source_id, account) do update set tenant_id = excluded.tenant_id, own = excluded.own`;
}

/** Event and business keys carry the own account's id: under another one the same event would come in again. */
async function checkOwnBase(
  tx: Tx,
  sourceId: string,
  before: readonly { account: string; own: boolean }[],
  accounts: readonly NormalAccount[],
) {
  const base = baseOfAccount(before.find(({ own }) => own)?.account ?? "");
  if (base === "" || accounts.some(({ account, own }) => own && baseOfAccount(account) === base)) return null;
  const [event] = await tx`
    select from inbox_events where source_id = ${sourceId} and account in (${base}, ${`${base}~test`}) limit 1`;
  return event
    ? refuse("conflict", `Events are stored under the own account ${base}, so another cannot take its place.`)
    : null;
}

/** Links live on an account, and stay inside its tenant. */
async function checkLinks(tx: Tx, sourceId: string, accounts: readonly NormalAccount[]) {
  const [torn] = await tx<{ account: string; customer: string; tenant: string; listed: boolean }[]>`
    select link.account, link.customer, workspace.tenant_id as tenant, wanted.account is not null as listed
    from customer_links link
    join workspaces workspace on workspace.id = link.workspace_id
    left join json_to_recordset(${JSON.stringify(accounts)}::text::json) as wanted (account text, tenant text)
      on wanted.account = link.account
    where link.source_id = ${sourceId} and (wanted.account is null or wanted.tenant <> workspace.tenant_id)
    order by link.account, link.customer limit 1`;
  if (!torn) return null;
  return refuse(
    "conflict",
    torn.listed
      ? `Customer ${torn.customer} of account ${torn.account} is linked to a workspace of tenant ${torn.tenant}.`
      : `Account ${torn.account} has customer links and cannot be left out.`,
  );
}
