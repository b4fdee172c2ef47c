import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CustomerLink } from "#lib/admin/put-customer-link.ts";
import { type PutSource, putSource } from "#lib/admin/put-source.ts";
import { rotateSecret } from "#lib/admin/rotate-secret.ts";
import { setSourceStatus } from "#lib/admin/set-source-status.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { loadSource } from "#lib/sources/load.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, linkCustomer, listAudited, readStatus, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

const key = randomBytes(32);
const FIRST = `whsec_${"1".repeat(32)}`;
const SECOND = `whsec_${"2".repeat(32)}`;

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { linked: false });
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await database.drop();
  expect(broken).toEqual([]);
});

const request = (overrides: Partial<PutSource> = {}): PutSource => ({
  id: "shop",
  kind: "stripe",
  name: "Shop",
  secrets: [FIRST],
  accounts: [{ account: "acct_shop", tenant: "shop" }],
  settings: sourceSettings.parse({}),
  ...overrides,
});
const put = (overrides?: Partial<PutSource>) => putSource(database.sql, tester, key, request(overrides));
const link = (overrides?: Partial<CustomerLink>) => linkCustomer(database.sql, overrides);
const audited = () => listAudited(database.sql);
const statusOf = (event: string) => readStatus(database.sql, event);

describe("putSource", () => {
  it("creates once; the same again changes nothing and is not audited", async () => {
    const first = unwrap(await put());
    expect(first).toMatchObject({
      created: true,
      source: { status: "active", readiness: { state: "ready" } },
    });
    const again = unwrap(await put({ secrets: [FIRST, FIRST] }));
    expect(again.created).toBe(false);
    expect(again.source).toMatchObject({ secrets: first.source.secrets, updatedAt: first.source.updatedAt });
    expect(await audited()).toEqual(["source.create"]);
  });

  it("ten times at once is one source", async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => put()));
    expect(outcomes.map(unwrap).filter(({ created }) => created)).toHaveLength(1);
    const [row] = await database.sql`
      select (select count(*)::int from source_secrets where source_id = 'shop') as secrets,
        (select count(*)::int from source_accounts where source_id = 'shop') as accounts`;
    expect(row).toEqual({ secrets: 1, accounts: 1 });
  });

  it("replaces secrets, and keeps them where they are left out", async () => {
    await put();
    expect(unwrap(await put({ secrets: undefined, name: "Other" })).source.secrets).toHaveLength(1);
    await put({ secrets: [SECOND] });
    const source = await loadSource(database.sql, "shop", key);
    expect(source?.secrets.map(({ text }) => text)).toEqual([SECOND]);
  });

  it("never shows a secret, in no answer and no audit entry", async () => {
    const answers = [await put(), await put({ secrets: ["whsec_x"] }), await put({ secrets: [SECOND] })];
    const audit = await database.sql`select before, after from audit_entries`;
    const text = JSON.stringify([answers, audit]);
    expect(text).not.toContain(FIRST);
    expect(text).not.toContain(SECOND);
    expect(text).not.toContain("whsec_x");
  });

  it.each<[string, Partial<PutSource>]>([
    ["a secret that is none of this sender's", { secrets: ["not-a-stripe-secret"] }],
    ["the built-in kind", { kind: "manual" }],
    ["a contract for a kind without one", { contract: {} }],
    ["an unusable contract", { kind: "hmac", contract: { nonsense: true } }],
    ["no contract for a kind that is nothing without one", { kind: "hmac" }],
    ["~ in an account", { accounts: [{ account: "acct~prod", tenant: "t" }] }],
    ["a test spelling in live mode", { accounts: [{ account: "acct~test", tenant: "t", mode: "live" }] }],
    [
      "an account twice",
      {
        accounts: [
          { account: "a", tenant: "t", mode: "test" },
          { account: "a~test", tenant: "t" },
        ],
      },
    ],
    [
      "several accounts and none marked",
      {
        accounts: [
          { account: "a", tenant: "t" },
          { account: "b", tenant: "t" },
        ],
      },
    ],
    [
      "several accounts marked",
      {
        accounts: [
          { account: "a", tenant: "t", own: true },
          { account: "b", tenant: "t", own: true },
        ],
      },
    ],
  ])("refuses %s, and leaves nothing behind", async (_, overrides) => {
    expect(codeOf(await put(overrides))).toBe("unacceptable");
    const rows = await database.sql`select id from sources where id = 'shop'`;
    expect(rows).toHaveLength(0);
    expect(await audited()).toEqual([]);
  });

  it("spells test accounts, and takes both modes of one base as the own account", async () => {
    const accounts = [
      { account: "acct_shop", tenant: "shop" },
      { account: "acct_shop", tenant: "shop", mode: "test" as const },
    ];
    const { source } = unwrap(await put({ accounts }));
    expect(source.accounts).toEqual([
      { account: "acct_shop", tenant: "shop", mode: "live", own: true },
      { account: "acct_shop~test", tenant: "shop", mode: "test", own: true },
    ]);
  });

  it("keeps the kind and the own account once events exist under them", async () => {
    await product.deliver(stripeEvent());
    const stripe = { id: "stripe", secrets: undefined };
    const acme = [{ account: "acct_acme", tenant: "acme" }];
    expect(codeOf(await put({ ...stripe, kind: "github", accounts: acme }))).toBe("conflict");
    expect(codeOf(await put({ ...stripe, accounts: [{ account: "acct_new", tenant: "acme" }] }))).toBe(
      "conflict",
    );
    const moved = [...acme, { account: "acct_new", tenant: "acme", own: true }];
    expect(codeOf(await put({ ...stripe, accounts: moved }))).toBe("conflict");
    expect(codeOf(await put({ ...stripe, accounts: acme, name: "New name" }))).toBe("ok");
    await put();
    expect(codeOf(await put({ accounts: [{ account: "acct_other", tenant: "shop" }] }))).toBe("ok");
  });

  it("keeps accounts that have links, and their tenant; a refusal undoes everything", async () => {
    await link();
    const stripe = { id: "stripe", secrets: undefined, name: "Changed" };
    expect(codeOf(await put({ ...stripe, accounts: [{ account: "acct_acme", tenant: "other" }] }))).toBe(
      "conflict",
    );
    const without = [{ account: "acct_b", tenant: "acme", own: true }];
    expect(codeOf(await put({ ...stripe, accounts: without }))).toBe("conflict");
    const [row] = await database.sql`select name from sources where id = 'stripe'`;
    expect(row?.name).toBe("Stripe");
  });

  it("releases what waited for a new account, and that is then applied", async () => {
    await link();
    const { answer } = await product.deliver(stripeEvent({ account: "acct_late" }));
    await product.workUntilIdle();
    expect(await statusOf(answer.event)).toBe("waiting");
    const accounts = [
      { account: "acct_acme", tenant: "acme", own: true },
      { account: "acct_late", tenant: "acme" },
    ];
    await put({ id: "stripe", secrets: undefined, accounts });
    expect(await statusOf(answer.event)).toBe("pending");
    await link({ account: "acct_late" });
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });
});

describe("rotateSecret", () => {
  const rotate = (secret: string, overlapSeconds = 3600, id = "shop") =>
    rotateSecret(database.sql, tester, key, { id, secret, overlapSeconds });
  const usable = async () => (await loadSource(database.sql, "shop", key))?.secrets.map(({ text }) => text);

  it("lets both secrets verify until the overlap is over", async () => {
    await put();
    const { secrets } = unwrap(await rotate(SECOND));
    expect(secrets.map(({ expiresAt }) => expiresAt !== null)).toEqual([false, true]);
    expect(await usable()).toEqual([SECOND, FIRST]);
    await database.sql`update source_secrets set expires_at = now() where expires_at is not null`;
    expect(await usable()).toEqual([SECOND]);
  });

  it("with the same secret again changes nothing, and never lengthens an overlap", async () => {
    await put();
    const once = unwrap(await rotate(SECOND, 60));
    const again = unwrap(await rotate(SECOND, 86_400));
    expect(again.secrets.map(({ expiresAt }) => expiresAt)).toEqual(
      once.secrets.map(({ expiresAt }) => expiresAt),
    );
    expect(await audited()).toEqual(["source.create", "source.rotate"]);
  });

  it("back to the one before makes that the current one", async () => {
    await put();
    await rotate(SECOND);
    await rotate(FIRST);
    expect(await usable()).toEqual([FIRST, SECOND]);
  });

  it("without overlap ends the old one at once; nonsense and strangers are refused", async () => {
    await put();
    await rotate(SECOND, 0);
    expect(await usable()).toEqual([SECOND]);
    expect(codeOf(await rotate("nonsense"))).toBe("unacceptable");
    expect(codeOf(await rotate(FIRST, 60, "nobody"))).toBe("not_found");
  });
});

describe("setSourceStatus", () => {
  const set = (status: "paused" | "active", id = "stripe") =>
    setSourceStatus(database.sql, tester, { id, status, reason: "because" });

  it("pauses processing once, and a resume goes on", async () => {
    await link();
    await set("paused");
    await set("paused");
    await product.deliver(stripeEvent());
    await product.workUntilIdle();
    expect(await product.balance()).toBe(0n);
    await set("active");
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
    expect(await audited()).toEqual(["customer-link.create", "source.pause", "source.resume"]);
    expect(codeOf(await set("paused", "nobody"))).toBe("not_found");
  });
});
