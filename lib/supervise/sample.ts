import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Sql, Tx } from "#db/client.ts";
import { readPrivateFile, writePrivateFile } from "#db/embedded/files.ts";
import { encryptSecret } from "#lib/sources/secrets.ts";

/** DATA_DIR/sample.json: what `npm run cli -- sample` needs to sign an event. `created` is in epoch seconds. */
export type Sample = { source: string; account: string; secret: string; customer: string; created: number };

const TENANT = "sample";
const WORKSPACE = "ws_sample";

/**
 * Gives the embedded database a sender, a customer and a workspace to play with. Only while it has no source of this
 * name: what an operator changed or rotated later stays as it is.
 */
export async function seedSample(sql: Sql, dataDir: string, key: Buffer): Promise<void> {
  const path = join(dataDir, "sample.json");
  const kept = await readSample(path);
  const sample = kept ?? {
    source: "stripe",
    account: "acct_sample",
    secret: `whsec_${randomBytes(24).toString("base64url")}`,
    customer: "cus_sample",
    created: Math.floor(Date.now() / 1000),
  };
  const seeded = await sql.begin(async (tx) => {
    const inserted = await tx`
      insert into sources (id, kind, name) values (${sample.source}, 'stripe', 'Stripe (sample)')
      on conflict do nothing`;
    if (inserted.count === 1) {
      await insertSample(tx, sample);
      await insertSecret(tx, sample, key);
    } else if (!kept) {
      // The file was lost: the sample command needs a secret that it knows, as long as the account is still the sample's.
      const own = await tx`
        select from source_accounts
        where source_id = ${sample.source} and account = ${sample.account} and tenant_id = ${TENANT}`;
      if (own.count === 0) return false;
      await insertSecret(tx, sample, key);
    }
    return true;
  });
  if (seeded && !kept) await writePrivateFile(path, `${JSON.stringify(sample, null, 2)}\n`);
}

async function insertSample(tx: Tx, sample: Sample): Promise<void> {
  const { source, account, customer } = sample;
  await tx`insert into tenants (id) values (${TENANT}) on conflict do nothing`;
  await tx`
    insert into workspaces (id, tenant_id, name, contact)
    values (${WORKSPACE}, ${TENANT}, 'Sample workspace', 'billing@sample.example') on conflict do nothing`;
  await tx`
    insert into source_accounts (source_id, account, tenant_id, mode, own)
    values (${source}, ${account}, ${TENANT}, 'live', true) on conflict do nothing`;
  await tx`
    insert into customer_links (source_id, account, customer, workspace_id)
    values (${source}, ${account}, ${customer}, ${WORKSPACE}) on conflict do nothing`;
}

async function insertSecret(tx: Tx, sample: Sample, key: Buffer): Promise<void> {
  const { ciphertext, keyId, fingerprint } = encryptSecret(sample.secret, key);
  await tx`
    insert into source_secrets (id, source_id, ciphertext, key_id, fingerprint)
    values (${randomUUID()}, ${sample.source}, ${ciphertext}, ${keyId}, ${fingerprint})`;
}

async function readSample(path: string): Promise<Sample | null> {
  const text = await readPrivateFile(path);
  try {
    return text ? (JSON.parse(text) as Sample) : null;
  } catch {
    return null;
  }
}
