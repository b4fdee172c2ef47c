import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CustomerLink } from "#lib/admin/put-customer-link.ts";
import { putWorkspace } from "#lib/admin/put-workspace.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, linkCustomer, listAudited, readStatus, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

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

const link = (overrides?: Partial<CustomerLink>) => linkCustomer(database.sql, overrides);
const audited = () => listAudited(database.sql);
const statusOf = (event: string) => readStatus(database.sql, event);

describe("putWorkspace", () => {
  const write = (overrides: object = {}) =>
    putWorkspace(database.sql, tester, {
      id: "ws_new",
      tenant: "fresh",
      name: "New",
      contact: null,
      ...overrides,
    });

  it("creates once, with a tenant that comes into being, and keeps the balance", async () => {
    expect(unwrap(await write())).toEqual({ created: true });
    expect(unwrap(await write())).toEqual({ created: false });
    await link();
    await product.deliver(stripeEvent());
    await product.workUntilIdle();
    unwrap(await write({ id: "ws_acme", tenant: "acme", contact: "new@acme.example" }));
    expect(await product.balance()).toBe(100n);
    expect(await audited()).toEqual(["workspace.create", "customer-link.create", "workspace.replace"]);
  });

  it("moves to another tenant only while nothing is bound to it", async () => {
    await write();
    expect(codeOf(await write({ tenant: "acme" }))).toBe("ok");
    await link();
    expect(codeOf(await write({ id: "ws_acme", tenant: "brand-new" }))).toBe("conflict");
    const rows = await database.sql`select from tenants where id = 'brand-new'`;
    expect(rows).toHaveLength(0);
  });
});

describe("putCustomerLink", () => {
  it("releases what waited for it, and only that", async () => {
    const mine = await product.deliver(stripeEvent());
    const other = await product.deliver(stripeEvent({}, stripeInvoice({ customer: "cus_other" })));
    await product.workUntilIdle();
    expect(await statusOf(mine.answer.event)).toBe("waiting");
    expect(unwrap(await link())).toEqual({ created: true, released: 1 });
    await product.workUntilIdle();
    expect(await statusOf(mine.answer.event)).toBe("done");
    expect(await statusOf(other.answer.event)).toBe("waiting");
    expect(await product.balance()).toBe(100n);
    expect(unwrap(await link())).toEqual({ created: false, released: 0 });
    expect(await audited()).toEqual(["customer-link.create"]);
  });

  it("stays inside the tenant, and names only what exists", async () => {
    expect(codeOf(await link({ workspace: "ws_other" }))).toBe("conflict");
    expect(codeOf(await link({ workspace: "ws_none" }))).toBe("unacceptable");
    expect(codeOf(await link({ account: "acct_none" }))).toBe("unacceptable");
    expect(codeOf(await link({ source: "none" }))).toBe("unacceptable");
    expect(await database.sql`select from customer_links`).toHaveLength(0);
  });

  it("put by many at once is one link", async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => link()));
    expect(outcomes.map(unwrap).filter(({ created }) => created)).toHaveLength(1);
  });
});
