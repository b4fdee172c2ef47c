import { randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import { isDataError } from "#db/errors.ts";
import { takesType } from "#lib/effects/index.ts";
import { type BatchReport, processBatch } from "#lib/inbox/process-batch.ts";
import { captureRequest } from "#lib/receive/capture.ts";
import { GroupCommit } from "#lib/receive/group-commit.ts";
import { createInlineStore } from "#lib/receive/inline.ts";
import { createReceiver } from "#lib/receive/receive.ts";
import { storeReceipts } from "#lib/receive/store-receipts.ts";
import type { Receipt, ReceiveRequest, ReceiveResponse, Rejection, Stored } from "#lib/receive/types.ts";
import { createSourceCache } from "#lib/sources/cache.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { loadSource } from "#lib/sources/load.ts";
import { encryptSecret } from "#lib/sources/secrets.ts";
import { signStripe } from "./stripe-events.ts";

/** SECRET_KEY of the product under test; processes get it as base64. */
export const SECRET_KEY = randomBytes(32);
export const SECRET = `whsec_${"t".repeat(32)}`;

export type Product = {
  sql: Sql;
  receive(request: Partial<ReceiveRequest>): Promise<ReceiveResponse>;
  /** Posts bytes with headers as they are. */
  post(source: string, body: Buffer | string, headers?: Record<string, string>): Promise<Answered>;
  /** Signs with the official library and delivers; the answer's body parsed. */
  deliver(event: unknown): Promise<Answered>;
  work(limit?: number): Promise<BatchReport>;
  workUntilIdle(): Promise<void>;
  balance(workspace?: string): Promise<bigint>;
  rejections: Rejection[];
};

export type Answered = {
  status: number;
  headers: Record<string, string>;
  answer: { status: string; event: string };
};

export type ProductOptions = {
  linked?: boolean;
  /** False for one more receiver on a database that has been given its sources already. */
  seeded?: boolean;
  /** A pool of the receiver's own; default: the test's. */
  receiveSql?: Sql;
  secretKeys?: readonly Buffer[];
  storeTimeout?: number;
  maxWaitingRows?: number;
  maxWaitingBytes?: number;
  maxHeldBytes?: number;
  now?: () => Date;
  onUnavailable?: (error: unknown) => void;
};

/**
 * The product without its processes: receiver and worker functions on a test's database, with source `stripe`,
 * account acct_acme of tenant acme, and customer cus_acme linked to workspace ws_acme.
 */
export async function createProduct(
  sql: Sql,
  {
    linked = true,
    seeded = true,
    receiveSql = sql,
    secretKeys = [SECRET_KEY],
    storeTimeout = 10_000,
    maxWaitingRows = 10_000,
    maxWaitingBytes = 64_000_000,
    maxHeldBytes,
    now = () => new Date(),
    onUnavailable = console.error,
  }: ProductOptions = {},
): Promise<Product> {
  if (seeded) await seed(sql, SECRET_KEY, linked);
  const rejections: Rejection[] = [];
  const workerId = uuidv7();
  const commit = new GroupCommit<Receipt, Stored>({
    write: (batch) => storeReceipts(receiveSql, batch),
    sizeOf: (receipt) => receipt.body.length,
    isRowFault: isDataError,
    maxRows: 256,
    maxBatchBytes: 4_000_000,
    maxWaitingRows,
    maxWaitingBytes,
    parallel: 1,
  });
  const receive = createReceiver({
    sources: createSourceCache((id) => loadSource(receiveSql, id, secretKeys)),
    adapterOf,
    takes: takesType,
    store: (receipt) => commit.add(receipt),
    storeInline: createInlineStore({ sql: receiveSql, store: (receipt) => commit.add(receipt) }),
    reject: (rejection) => rejections.push(rejection),
    capture: (sourceId, request, body) => captureRequest(receiveSql, sourceId, request, body),
    onUnavailable,
    maxBodyBytes: 1_048_576,
    maxHeldBytes,
    storeTimeout,
    now,
  });
  const product: Product = {
    sql,
    rejections,
    receive: (request) =>
      receive({
        method: "POST",
        source: "stripe",
        query: "",
        header: () => null,
        allHeaders: () => ({}),
        body: null,
        remoteAddress: null,
        ...request,
      }),
    async post(source, body, headers = {}) {
      const answer = await product.receive({
        source,
        header: (name) => headers[name] ?? null,
        allHeaders: () => headers,
        body: streamOf(Buffer.from(body)),
      });
      const isJson = answer.headers["content-type"]?.startsWith("application/json");
      return { ...answer, answer: isJson ? JSON.parse(answer.body) : answer.body };
    },
    async deliver(event) {
      const body = Buffer.from(JSON.stringify(event));
      return product.post("stripe", body, { "stripe-signature": signStripe(body, SECRET) });
    },
    work: (limit = 100) => processBatch(sql, { limit }, workerId),
    async workUntilIdle() {
      while ((await product.work()).claimed > 0);
    },
    async balance(workspace = "ws_acme") {
      const [row] = await sql`select credit_balance from workspaces where id = ${workspace}`;
      return row?.credit_balance;
    },
  };
  return product;
}

export async function* streamOf(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function seed(sql: Sql, key: Buffer, linked: boolean): Promise<void> {
  const secret = encryptSecret(SECRET, key);
  await sql`insert into tenants (id) values ('acme'), ('other')`;
  await sql`insert into workspaces (id, tenant_id, name, contact) values
    ('ws_acme', 'acme', 'Acme', 'billing@acme.example'), ('ws_other', 'other', 'Other', null)`;
  await sql`insert into sources (id, kind, name) values ('stripe', 'stripe', 'Stripe')`;
  await sql`insert into source_secrets (id, source_id, ciphertext, key_id, fingerprint)
    values (${uuidv7()}, 'stripe', ${secret.ciphertext}, ${secret.keyId}, ${secret.fingerprint})`;
  await sql`insert into source_accounts (source_id, account, tenant_id, mode, own) values ('stripe', 'acct_acme', 'acme', 'live', true)`;
  if (!linked) return;
  await sql`insert into customer_links (source_id, account, customer, workspace_id) values ('stripe', 'acct_acme', 'cus_acme', 'ws_acme')`;
}
