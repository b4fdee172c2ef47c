import type { Sql, Tx } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { isSameJson, writeAudit } from "./audit.ts";
import { Undo } from "./undo.ts";

export type PutWorkspace = { id: string; tenant: string; name: string; contact: string | null };

type Stored = { tenant: string; name: string; contact: string | null };

/** Creates or replaces a workspace; its balance is the ledger's alone. The same request again changes nothing. */
export async function putWorkspace(
  sql: Sql,
  actor: Actor,
  { id, ...wanted }: PutWorkspace,
): Promise<Outcome<{ created: boolean }>> {
  return await Undo.catch(() =>
    sql.begin(async (tx) => {
      await tx`insert into tenants (id) values (${wanted.tenant}) on conflict do nothing`;
      const { count } = await tx`
      insert into workspaces (id, tenant_id, name, contact)
      values (${id}, ${wanted.tenant}, ${wanted.name}, ${wanted.contact}) on conflict do nothing`;
      if (count === 1) {
        const entry = { action: "workspace.create", target: `workspace:${id}`, before: null, after: wanted };
        await writeAudit(tx, actor, entry);
        return succeed({ created: true });
      }
      return await replace(tx, actor, id, wanted);
    }),
  );
}

async function replace(
  tx: Tx,
  actor: Actor,
  id: string,
  wanted: Stored,
): Promise<Outcome<{ created: boolean }>> {
  const [before] = await tx<Stored[]>`
    select tenant_id as tenant, name, contact from workspaces where id = ${id} for no key update`;
  if (isSameJson(before, wanted)) return succeed({ created: false });
  if (before?.tenant !== wanted.tenant && (await isBound(tx, id))) {
    Undo.unless(
      refuse("conflict", "This workspace has entries or customer links, so its tenant cannot change."),
    );
  }
  await tx`
    update workspaces set tenant_id = ${wanted.tenant}, name = ${wanted.name}, contact = ${wanted.contact},
      updated_at = now() where id = ${id}`;
  await writeAudit(tx, actor, {
    action: "workspace.replace",
    target: `workspace:${id}`,
    before,
    after: wanted,
  });
  return succeed({ created: false });
}

async function isBound(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx`
    select exists (select from credit_entries where workspace_id = ${id})
      or exists (select from customer_links where workspace_id = ${id}) as bound`;
  return row?.bound === true;
}
