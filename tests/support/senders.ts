import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { Mode, SourceKind } from "#db/states.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { encryptSecret } from "#lib/sources/secrets.ts";
import { type Answered, type Product, SECRET_KEY } from "./product.ts";

/** A secret that every kind of sender accepts: text of good length that is also whsec_ and strict base64. */
export const SENDER_SECRET = `whsec_${Buffer.from("the signing secret of the tests").toString("base64")}`;

export type NewSource = {
  id: string;
  kind: SourceKind;
  /** Stored as they are, also unusable ones. */
  secrets?: readonly string[];
  secretKey?: typeof SECRET_KEY;
  accounts?: readonly { account: string; tenant?: string; mode?: Mode; own?: boolean }[];
  contract?: unknown;
  settings?: object;
};

/** A source put straight into the tables, so that a test may store what the API would refuse. */
export async function addSource(sql: Sql, source: NewSource): Promise<void> {
  const { id, kind, secrets = [SENDER_SECRET], secretKey = SECRET_KEY, settings = {} } = source;
  await sql`insert into sources (id, kind, name, settings) values (${id}, ${kind}, ${id}, ${sql.json(settings as never)})`;
  if (source.contract !== undefined) await storeContract(sql, id, source.contract);
  for (const text of secrets) await addSecret(sql, id, text, secretKey);
  for (const { account, tenant = "acme", mode = "live", own = false } of source.accounts ?? [
    { account: "own", own: true },
  ]) {
    await sql`insert into source_accounts (source_id, account, tenant_id, mode, own)
      values (${id}, ${account}, ${tenant}, ${mode}, ${own})`;
  }
}

export async function addSecret(sql: Sql, sourceId: string, text: string, key = SECRET_KEY): Promise<void> {
  const sealed = encryptSecret(text, key);
  await sql`insert into source_secrets (id, source_id, ciphertext, key_id, fingerprint)
    values (${uuidv7()}, ${sourceId}, ${sealed.ciphertext}, ${sealed.keyId}, ${sealed.fingerprint})`;
}

/** Stores a contract as the API does: validated and complete. */
export async function storeContract(sql: Sql, id: string, document: unknown): Promise<void> {
  const [source] = await sql<{ kind: SourceKind }[]>`select kind from sources where id = ${id}`;
  const checked = adapterOf(source!.kind)!.checkContract!(document);
  if (!checked.ok) throw new Error(checked.problems.join("; "));
  await sql`update sources set contract = ${sql.json(checked.contract as never)} where id = ${id}`;
}

export type Delivery = {
  body: Buffer | string;
  secret?: string;
  /** When it is signed. */
  at?: Date;
  id?: string;
  type?: string;
  headers?: Record<string, string>;
};

/** The headers that make a body authentic for a source, made by its adapter under its contract as stored. */
export async function signFor(
  sql: Sql,
  sourceId: string,
  { body, secret = SENDER_SECRET, at = new Date(), id, type, headers }: Delivery,
): Promise<Record<string, string>> {
  const [source] = await sql<{ kind: SourceKind; contract: unknown }[]>`
    select kind, contract from sources where id = ${sourceId}`;
  const signed = adapterOf(source!.kind)!.sign({
    body: Buffer.from(body),
    secret: { text: secret, fingerprint: "test" },
    now: at,
    contract: source!.contract,
    id,
    type,
  });
  return { ...signed, ...headers };
}

export async function send(product: Product, sourceId: string, delivery: Delivery): Promise<Answered> {
  return product.post(sourceId, delivery.body, await signFor(product.sql, sourceId, delivery));
}

/** One event as the tables have it, with its body. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert what is in it
export async function findEvent(sql: Sql, id: string): Promise<Record<string, any>> {
  const [row] = await sql`
    select e.source_id as source, e.account, e.event_id as "eventId", e.type, e.mode, e.subject, e.status, e.outcome,
      e.failure_class as "failureClass", e.waits_kind as "waitsKind", e.why, b.body, b.headers
    from inbox_events e
    left join inbox_bodies b on b.inbox_event_id = e.id and b.expires_on = e.body_expires_on
    where e.id = ${id}`;
  return row!;
}

export async function countEvents(sql: Sql, sourceId: string): Promise<number> {
  const [row] = await sql`select count(*)::int as events from inbox_events where source_id = ${sourceId}`;
  return row!.events;
}

/** The rules that are broken; to be empty at the end of every test. */
export async function findBroken(sql: Sql) {
  return (await checkInvariants(sql)).filter(({ ok }) => !ok);
}
