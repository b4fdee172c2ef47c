import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import { v7 as uuidv7 } from "uuid";
import { encryptSecret } from "#lib/sources/secrets.ts";
import { STRIPE_SECRET } from "./stripe-traffic.ts";
import { WORKSPACES } from "./workspaces.ts";

/**
 * A tenant with a Stripe source and its workspaces, each linked to one customer (cus_1 … cus_1000). Returns the
 * SECRET_KEY that the source's secret is encrypted under.
 */
export async function seedProduct(sql: postgres.Sql): Promise<string> {
  const key = randomBytes(32);
  const secret = encryptSecret(STRIPE_SECRET, key);
  await sql`insert into tenants (id) values ('acme')`;
  await sql`insert into sources (id, kind, name) values ('stripe', 'stripe', 'Stripe')`;
  await sql`insert into source_secrets (id, source_id, ciphertext, key_id, fingerprint)
    values (${uuidv7()}, 'stripe', ${secret.ciphertext}, ${secret.keyId}, ${secret.fingerprint})`;
  await sql`insert into source_accounts (source_id, account, tenant_id, mode, own)
    values ('stripe', 'acct_acme', 'acme', 'live', true)`;
  await sql`insert into workspaces (id, tenant_id, name, contact)
    select 'ws_' || n, 'acme', 'Workspace ' || n, 'billing-' || n || '@acme.example'
    from generate_series(1, ${WORKSPACES}::int) n`;
  await sql`insert into customer_links (source_id, account, customer, workspace_id)
    select 'stripe', 'acct_acme', 'cus_' || n, 'ws_' || n from generate_series(1, ${WORKSPACES}::int) n`;
  return key.toString("base64");
}
