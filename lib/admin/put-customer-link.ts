import type { Sql, Tx } from "#db/client.ts";
import { repeatOnConflict } from "#db/repeat-on-conflict.ts";
import type { Actor } from "#lib/access/actor.ts";
import { releaseByLink } from "#lib/inbox/release.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { writeAudit } from "./audit.ts";

export type CustomerLink = { source: string; account: string; customer: string; workspace: string };

export type LinkResult = {
  created: boolean;
  /** Events that waited for the link and are due now. */
  released: number;
};

/**
 * Says which workspace a sender's customer is, and arms what waited for that. A link never leaves the tenant of its
 * account. What was granted before stays where it was granted. The same request again changes nothing.
 */
export async function putCustomerLink(
  sql: Sql,
  actor: Actor,
  link: CustomerLink,
): Promise<Outcome<LinkResult>> {
  return (await repeatOnConflict(() =>
    sql.begin(async (tx) => {
      const refusal = await checkTenants(tx, link);
      if (refusal) return refusal;
      const key = { sourceId: link.source, account: link.account, customer: link.customer };
      const before = await store(tx, link);
      if (before?.workspace !== link.workspace) {
        const target = `customer-link:${JSON.stringify([link.source, link.account, link.customer])}`;
        const action = before ? "customer-link.replace" : "customer-link.create";
        await writeAudit(tx, actor, { action, target, before, after: { workspace: link.workspace } });
      }
      return succeed({ created: before === null, released: await releaseByLink(tx, key) });
    }),
  )) as Outcome<LinkResult>;
}

/** Both rows are held, so that neither tenant changes until the link is there. */
async function checkTenants(tx: Tx, { source, account, workspace }: CustomerLink) {
  const [ofAccount] = await tx<{ tenant: string }[]>`
    select tenant_id as tenant from source_accounts where source_id = ${source} and account = ${account} for share`;
  if (!ofAccount) return refuse("unacceptable", `Source ${source} has no account ${account}.`);
  const [ofWorkspace] = await tx<{ tenant: string }[]>`
    select tenant_id as tenant from workspaces where id = ${workspace} for share`;
  if (!ofWorkspace) return refuse("unacceptable", `There is no workspace ${workspace}.`);
  if (ofAccount.tenant === ofWorkspace.tenant) return null;
  return refuse(
    "conflict",
    `Account ${account} belongs to tenant ${ofAccount.tenant}, workspace ${workspace} to tenant ${ofWorkspace.tenant}.`,
  );
}

/** The workspace that was linked before; null when the link is new. */
async function store(
  tx: Tx,
  { source, account, customer, workspace }: CustomerLink,
): Promise<{ workspace: string } | null> {
  const { count } = await tx`
    insert into customer_links (source_id, account, customer, workspace_id)
    values (${source}, ${account}, ${customer}, ${workspace}) on conflict do nothing`;
  if (count === 1) return null;
  const [before] = await tx<{ workspace: string }[]>`
    select workspace_id as workspace from customer_links
    where (source_id, account, customer) = (${source}, ${account}, ${customer}) for update`;
  if (before && before.workspace !== workspace) {
    await tx`
      update customer_links set workspace_id = ${workspace}, updated_at = now()
      where (source_id, account, customer) = (${source}, ${account}, ${customer})`;
  }
  return before ?? null;
}
