import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { putCredentials } from "#lib/admin/put-credentials.ts";
import { putCredentials as endpoint } from "#lib/api/endpoints/sources.ts";
import { loadCredentials } from "#lib/sources/credentials.ts";
import { reencryptSecrets } from "#lib/sources/reencrypt-secrets.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, listAudited, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, SECRET_KEY } from "#tests/support/product.ts";
import { findBroken } from "#tests/support/senders.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await createProduct(database.sql);
});
afterEach(async () => {
  expect(await findBroken(database.sql)).toEqual([]);
  await database.drop();
});

const put = (apiKey: string | null, baseUrl: string | null = null) =>
  putCredentials(database.sql, tester, SECRET_KEY, { id: "stripe", apiKey, baseUrl });
const load = (keys: readonly Buffer[] = [SECRET_KEY]) => loadCredentials(database.sql, "stripe", keys);

describe("a source's credentials", () => {
  it("are kept encrypted, open for us alone, and are shown by fingerprint", async () => {
    const view = unwrap(await put("sk_live_very_secret", "https://api.sender.example"));
    expect(view.credentials).toMatchObject({ baseUrl: "https://api.sender.example" });
    expect(JSON.stringify(view)).not.toContain("very_secret");
    expect(await load()).toEqual({ apiKey: "sk_live_very_secret", baseUrl: "https://api.sender.example" });
    expect(await load([randomBytes(32)])).toBeNull();
    const [row] = await database.sql`select ciphertext from source_credentials`;
    expect((row!.ciphertext as Buffer).includes("very_secret")).toBe(false);
    const audit = await database.sql`select before::text, after::text from audit_entries`;
    expect(JSON.stringify([...audit])).not.toContain("very_secret");
  });

  it("change with one audit entry, and the same again with none", async () => {
    await put("key-1");
    await put("key-1");
    await put("key-2");
    expect((await load())?.apiKey).toBe("key-2");
    unwrap(await put(null));
    expect(await load()).toBeNull();
    expect(await listAudited(database.sql)).toEqual(Array(3).fill("source.credentials"));
    const unknown = { id: "nobody", apiKey: "x", baseUrl: null };
    expect(codeOf(await putCredentials(database.sql, tester, SECRET_KEY, unknown))).toBe("not_found");
  });

  it("move with the signing secrets when SECRET_KEY changes", async () => {
    await put("key-1");
    const next = randomBytes(32);
    expect(await reencryptSecrets(database.sql, next, [SECRET_KEY])).toEqual({ moved: 2, unreadable: [] });
    expect(await load([next])).toEqual({ apiKey: "key-1", baseUrl: null });
    await reencryptSecrets(database.sql, SECRET_KEY, [next]);
  });

  it.each([
    ["a key with a line break", { apiKey: "a\r\nb" }],
    ["a URL with a password", { apiKey: "a", baseUrl: "https://u:p@host.example" }],
    ["another scheme", { apiKey: "a", baseUrl: "file:///etc/passwd" }],
    ["a query", { apiKey: "a", baseUrl: "https://host.example/?x=1" }],
  ])("refuse %s", (_, body) => {
    expect(endpoint.body.safeParse(body).success).toBe(false);
  });
});
