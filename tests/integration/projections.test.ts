import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadEventRow } from "#lib/console/event.ts";
import { tellProjection } from "#lib/projections/describe.ts";
import { adoptUnfetched } from "#lib/projections/lease.ts";
import { refreshSubscriptions } from "#lib/projections/refresh.ts";
import { encryptSecret } from "#lib/sources/secrets.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { addSource, findBroken, findEvent, send } from "#tests/support/senders.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";
import { stripeEventOf, stripeSubscription } from "#tests/support/stripe-money.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  expect(await findBroken(database.sql)).toEqual([]);
  await database.drop();
});

const subscriptionEvent = (type: string, status: string, created: number) =>
  stripeEventOf(`customer.subscription.${type}`, stripeSubscription({ status }), { created });

async function deliver(event: unknown) {
  const { answer } = await product.deliver(event);
  await product.workUntilIdle();
  return findEvent(database.sql, answer.event);
}

async function subscription() {
  const [row] = await database.sql`
    select status, state_source as source, refresh_error as error, marks, fetched_marks as fetched, refresh_at is not null as due,
      lease_token is not null as leased from subscriptions where subscription = 'sub_1'`;
  return { ...row };
}

describe("a subscription of a source without credentials", () => {
  const both = <T>(one: T, other: T): [string, T[]][] => [
    ["in order", [one, other]],
    ["in the other order", [other, one]],
  ];

  it.each(
    both(subscriptionEvent("created", "incomplete", 999), subscriptionEvent("updated", "active", 1000)),
  )("never goes back to an earlier state, %s", async (_, events) => {
    for (const event of events) await deliver(event);
    expect(await subscription()).toMatchObject({ status: "active", source: "event", due: false });
  });

  it.each(both(subscriptionEvent("updated", "active", 1000), subscriptionEvent("updated", "past_due", 1000)))(
    "ends alike after two states of one second, %s",
    async (_, events) => {
      for (const event of events) await deliver(event);
      expect(await subscription()).toMatchObject({ status: "past_due" });
    },
  );

  it.each(both(subscriptionEvent("deleted", "canceled", 1000), subscriptionEvent("updated", "active", 2000)))(
    "stays ended, %s",
    async (_, events) => {
      for (const event of events) await deliver(event);
      expect(await subscription()).toMatchObject({ status: "canceled" });
    },
  );

  it("is told on the page of its events, and no more surely than it is known", async () => {
    const { answer } = await product.deliver(subscriptionEvent("updated", "active", 1000));
    await product.workUntilIdle();
    const event = await loadEventRow(database.sql, answer.event);
    expect(tellProjection(event!.projection!)).toBe(
      "active, as the last event told it; not fetched: no credentials are configured for this source",
    );
  });

  it("says what a late event was: stale", async () => {
    await deliver(subscriptionEvent("updated", "active", 2000));
    expect(await deliver(subscriptionEvent("updated", "past_due", 1000))).toMatchObject({
      status: "done",
      outcome: "stale",
      subject: "sub_1",
    });
  });
});

describe("a subscription of a source with credentials", () => {
  let peer: Server;
  let answer: (request: IncomingMessage) => Promise<{ status: number; body: object }>;
  const asked: IncomingMessage[] = [];

  beforeEach(async () => {
    asked.length = 0;
    answer = async () => ({ status: 200, body: stripeSubscription({ status: "active" }) });
    peer = createServer(async (request, response) => {
      asked.push(request);
      const { status, body } = await answer(request);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => {
      peer.listen(0, "127.0.0.1", resolve);
    });
    await addCredentials();
  });
  afterEach(() => {
    peer.closeAllConnections();
    peer.close();
  });

  async function addCredentials(apiKey = "sk_live_very_secret") {
    const { ciphertext, keyId, fingerprint } = encryptSecret(apiKey, SECRET_KEY);
    const baseUrl = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`;
    await database.sql`insert into source_credentials (source_id, ciphertext, key_id, fingerprint, base_url)
      values ('stripe', ${ciphertext}, ${keyId}, ${fingerprint}, ${baseUrl})
      on conflict (source_id) do update set ciphertext = excluded.ciphertext`;
  }
  const refresh = () => refreshSubscriptions(database.sql, { keys: [SECRET_KEY], fetch, limit: 10 });

  it("is only marked by its event, and has the state that the sender answers", async () => {
    await deliver(subscriptionEvent("updated", "past_due", 1000));
    expect(await subscription()).toMatchObject({ status: null, source: null, due: true });
    expect(await refresh()).toBe(1);
    expect(await subscription()).toEqual({
      status: "active",
      source: "fetch",
      error: null,
      marks: 1n,
      fetched: 1n,
      due: false,
      leased: false,
    });
    expect(asked.map(({ url }) => url)).toEqual(["/v1/subscriptions/sub_1"]);
    expect(await refresh()).toBe(0);
  });

  it("that is marked while it is fetched is fetched once more", async () => {
    await deliver(subscriptionEvent("updated", "active", 1000));
    answer = async () => {
      if (asked.length === 1) await deliver(subscriptionEvent("updated", "past_due", 1001));
      return {
        status: 200,
        body: stripeSubscription({ status: asked.length === 1 ? "active" : "past_due" }),
      };
    };
    expect(await refresh()).toBe(2);
    expect(await subscription()).toMatchObject({ status: "past_due", marks: 2n, fetched: 2n, due: false });
  });

  it("is fetched by one at a time, and a late answer finds its lease gone", async () => {
    await deliver(subscriptionEvent("updated", "active", 1000));
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    answer = async () => {
      if (asked.length > 1) return { status: 200, body: stripeSubscription({ status: "unpaid" }) };
      await held;
      return { status: 200, body: stripeSubscription({ status: "active" }) };
    };
    const first = refresh();
    await expect.poll(() => asked.length).toBe(1);
    expect(await refresh()).toBe(0);
    await database.sql`update subscriptions set lease_until = now() - interval '1 second'`;
    expect(await refresh()).toBe(1);
    finish();
    expect(await first).toBe(0);
    expect(await subscription()).toMatchObject({ status: "unpaid" });
  });

  it("does not hold up a grant while the sender is slow", async () => {
    await deliver(subscriptionEvent("updated", "active", 1000));
    let finish = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    answer = async () => {
      await held;
      return { status: 200, body: stripeSubscription() };
    };
    const refreshing = refresh();
    await expect.poll(() => asked.length).toBe(1);
    expect(await deliver(stripeEvent())).toMatchObject({ outcome: "applied" });
    expect(await deliver(subscriptionEvent("updated", "active", 1002))).toMatchObject({ outcome: "applied" });
    finish();
    await refreshing;
  });

  it("is asked for again later when the sender fails, and the cause names no key", async () => {
    await deliver(subscriptionEvent("updated", "active", 1000));
    answer = async () => ({ status: 500, body: { error: { message: "sk_live_very_secret" } } });
    expect(await refresh()).toBe(0);
    expect(await subscription()).toMatchObject({
      error: "the sender answered 500",
      due: true,
      leased: false,
    });
    expect(await refresh()).toBe(0);
    expect(asked).toHaveLength(1);
  });

  it("that the sender does not know is left until the next mark", async () => {
    await deliver(subscriptionEvent("updated", "active", 1000));
    answer = async () => ({ status: 404, body: { error: { message: "No such subscription" } } });
    await refresh();
    expect(await subscription()).toMatchObject({
      error: "the sender does not know this subscription",
      due: false,
    });
    await deliver(subscriptionEvent("updated", "active", 1001));
    expect(await subscription()).toMatchObject({ due: true });
  });

  it("stays ended whatever a lagging answer says", async () => {
    await deliver(subscriptionEvent("updated", "active", 1000));
    answer = async () => ({ status: 200, body: stripeSubscription({ status: "canceled" }) });
    await refresh();
    await deliver(subscriptionEvent("updated", "active", 1001));
    answer = async () => ({ status: 200, body: stripeSubscription({ status: "active" }) });
    await refresh();
    expect(await subscription()).toMatchObject({ status: "canceled" });
  });

  it("is not asked for with a key of the other mode", async () => {
    await addCredentials("sk_test_key");
    await deliver(subscriptionEvent("updated", "active", 1000));
    await refresh();
    expect(asked).toHaveLength(0);
    expect(await subscription()).toMatchObject({
      error: "the API key is of test mode, and this is of live mode",
    });
  });

  it("that was known from events alone is fetched once there are credentials", async () => {
    await database.sql`delete from source_credentials`;
    await deliver(subscriptionEvent("updated", "past_due", 1000));
    expect(await adoptUnfetched(database.sql)).toBe(0);
    await addCredentials();
    expect(await adoptUnfetched(database.sql)).toBe(1);
    await refresh();
    expect(await subscription()).toMatchObject({ status: "active", source: "fetch" });
  });
});

describe("a transaction", () => {
  const post = async (eventId: string, type: string, more: object = {}) => {
    const body = {
      eventId,
      type,
      transactionId: "tx_1",
      merchantId: "m_1",
      customerId: "c_1",
      amount: 100,
      currency: "eur",
      ...more,
    };
    const { answer } = await send(product, "pay", { body: JSON.stringify(body) });
    await product.workUntilIdle();
    return findEvent(database.sql, answer.event);
  };
  const status = async () => (await database.sql`select status, version, amount from transactions`)[0];

  beforeEach(async () => {
    await addSource(database.sql, { id: "pay", kind: "payments", accounts: [{ account: "m_1", own: true }] });
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id) values ('pay', 'm_1', 'c_1', 'ws_acme')`;
  });

  it.each([
    ["in order", ["TRANSACTION_AUTHORISED", "TRANSACTION_CAPTURED", "TRANSACTION_SUCCEEDED"]],
    ["in reverse", ["TRANSACTION_SUCCEEDED", "TRANSACTION_CAPTURED", "TRANSACTION_AUTHORISED"]],
  ])("without versions never goes back, %s", async (_, types) => {
    for (const [at, type] of types.entries()) await post(`e${at}`, type);
    expect(await status()).toMatchObject({ status: "succeeded", amount: 100n });
    expect(await product.balance()).toBe(100n);
  });

  it("with versions follows them alone", async () => {
    await post("e1", "TRANSACTION_CAPTURED", { version: 3 });
    expect(await post("e2", "TRANSACTION_FAILED", { version: 2 })).toMatchObject({ outcome: "stale" });
    expect(await status()).toMatchObject({ status: "captured", version: 3n });
    expect(await post("e3", "TRANSACTION_FAILED", { version: 4 })).toMatchObject({ outcome: "applied" });
    expect(await status()).toMatchObject({ status: "failed", version: 4n });
  });
});
