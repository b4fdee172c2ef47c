import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET } from "#tests/support/product.ts";
import { addSource, findBroken, findEvent } from "#tests/support/senders.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const addAccount = (account: string, tenant: string, mode = "live") => database.sql`
  insert into source_accounts (source_id, account, tenant_id, mode, own)
  values ('stripe', ${account}, ${tenant}, ${mode}, false)`;
const addLink = (account: string, customer: string, workspace: string) => database.sql`
  insert into customer_links (source_id, account, customer, workspace_id)
  values ('stripe', ${account}, ${customer}, ${workspace})`;

async function deliver(event: unknown, headers: Record<string, string> = {}, source = "stripe") {
  const body = JSON.stringify(event);
  const signed = { "stripe-signature": signStripe(body, SECRET), ...headers };
  const { status, answer } = await product.post(source, body, signed);
  expect(status).toBe(200);
  await product.workUntilIdle();
  return await findEvent(database.sql, answer.event);
}
const balances = async () => [await product.balance("ws_acme"), await product.balance("ws_other")];

describe("a test-mode event at the live endpoint", () => {
  it.each([
    ["of the own account", {}],
    ["of a connected account", { account: "acct_connected" }],
  ])("%s is stored, has no effect and says why", async (_, overrides) => {
    await addAccount("acct_connected", "acme");
    expect(await deliver(stripeEvent({ livemode: false, ...overrides }))).toMatchObject({
      status: "ignored",
      mode: "test",
      why: "wrong mode",
    });
    expect(await balances()).toEqual([0n, 0n]);
  });

  it("never meets a live one where both modes are configured: the same ids are two of everything", async () => {
    await addAccount("acct_connected", "acme");
    await addAccount("acct_connected~test", "other", "test");
    await addLink("acct_connected", "cus_1", "ws_acme");
    await addLink("acct_connected~test", "cus_1", "ws_other");
    const event = (livemode: boolean) =>
      stripeEvent(
        { id: "evt_1", livemode, account: "acct_connected" },
        stripeInvoice({ id: "in_1", customer: "cus_1", livemode }),
      );
    const live = await deliver(event(true));
    const test = await deliver(event(false));
    expect([live.account, test.account]).toEqual(["acct_connected", "acct_connected~test"]);
    expect([live.outcome, test.outcome]).toEqual(["applied", "applied"]);
    expect(await balances()).toEqual([100n, 100n]);
    const [entries] = await database.sql`select count(distinct account)::int as accounts from credit_entries`;
    expect(entries?.accounts).toBe(2);
  });
});

describe("an event of a connected account", () => {
  it("that is not ours is kept, visible and without effect, though the customer's id is one of ours", async () => {
    const event = await deliver(stripeEvent({ account: "acct_stranger" }));
    expect(event).toMatchObject({
      status: "waiting",
      waitsKind: "account",
      account: "acct_stranger",
      why: "account acct_stranger is not configured on this source",
    });
    expect(await balances()).toEqual([0n, 0n]);
  });

  it("of another tenant does not reach the customer of the same id in ours, then or later", async () => {
    await addAccount("acct_other", "other");
    const event = await deliver(stripeEvent({ account: "acct_other" }));
    expect(event).toMatchObject({ status: "waiting", waitsKind: "link" });
    await addLink("acct_other", "cus_acme", "ws_other");
    await sweepWaiting(database.sql);
    await product.workUntilIdle();
    expect(await balances()).toEqual([0n, 100n]);
  });

  it("that was taken away while events were under way has no effect from then on", async () => {
    await addAccount("acct_left", "other");
    await addLink("acct_left", "cus_1", "ws_other");
    const event = () => stripeEvent({ account: "acct_left" }, stripeInvoice({ customer: "cus_1" }));
    expect(await deliver(event())).toMatchObject({ outcome: "applied" });
    const underWay = await product.deliver(event());
    await database.sql`delete from customer_links where account = 'acct_left'`;
    await database.sql`delete from source_accounts where account = 'acct_left'`;
    await product.workUntilIdle();
    expect(await findEvent(database.sql, underWay.answer.event)).toMatchObject({
      status: "waiting",
      waitsKind: "account",
    });
    expect(await balances()).toEqual([0n, 100n]);
  });

  it("is known by what was signed: a header or the customer's metadata names no account", async () => {
    await addAccount("acct_other", "other");
    await addLink("acct_other", "cus_acme", "ws_other");
    const invoice = stripeInvoice({ metadata: { account: "acct_other", workspace: "ws_other" } });
    const event = await deliver(stripeEvent({}, invoice), { "stripe-account": "acct_other" });
    expect(event).toMatchObject({ account: "acct_acme", outcome: "applied" });
    expect(await balances()).toEqual([100n, 0n]);
  });
});

describe("an event that names no account", () => {
  it("belongs to nobody where several accounts are there and none is the source's own", async () => {
    await addSource(database.sql, {
      id: "several",
      kind: "stripe",
      secrets: [SECRET],
      accounts: [{ account: "acct_a" }, { account: "acct_b", tenant: "other" }],
    });
    expect(await deliver(stripeEvent(), {}, "several")).toMatchObject({
      status: "waiting",
      waitsKind: "account",
      account: "own",
    });
  });

  it.each([
    ["the only one", [{ account: "acct_a" }]],
    [
      "the only one, in both modes",
      [{ account: "acct_a" }, { account: "acct_a~test", mode: "test" as const }],
    ],
    ["the one marked so", [{ account: "acct_0" }, { account: "acct_a", own: true }]],
  ])("belongs to the source's own: %s", async (_, accounts) => {
    await addSource(database.sql, { id: "shop", kind: "stripe", secrets: [SECRET], accounts });
    expect(await deliver(stripeEvent(), {}, "shop")).toMatchObject({ account: "acct_a", waitsKind: "link" });
    const explicit = stripeEvent({ account: "acct_a" });
    expect(await deliver(explicit, {}, "shop")).toMatchObject({ account: "acct_a" });
    const { account: _account, ...implicit } = explicit;
    expect(await deliver(implicit, {}, "shop")).toMatchObject({ account: "acct_a", waitsKind: "link" });
    const [rows] =
      await database.sql`select count(*)::int as rows from inbox_events where source_id = 'shop'`;
    expect(rows).toEqual({ rows: 2 });
  });
});
