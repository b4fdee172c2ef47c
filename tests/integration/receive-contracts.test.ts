import { createHash, createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import {
  addSource,
  countEvents,
  findBroken,
  findEvent,
  SENDER_SECRET,
  send,
  storeContract,
} from "#tests/support/senders.ts";

let database: TestDatabase;
let product: Product;
let now: Date | null = null;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { now: () => now ?? new Date() });
});
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const HOUR = 3_600_000;
const transaction = (eventId: string, overrides: object = {}) =>
  JSON.stringify({
    eventId,
    type: "TRANSACTION_SUCCEEDED",
    transactionId: "tx_1",
    amount: 1200,
    currency: "EUR",
    ...overrides,
  });

describe("payments", () => {
  it("verifies by its preset while it has no contract of its own", async () => {
    await addSource(database.sql, { id: "pay", kind: "payments", accounts: [{ account: "7" }] });
    const body = transaction("ev_1", { merchantId: 7 });
    const t = String(Math.floor(Date.now() / 1000));
    const mac = createHmac("sha256", SENDER_SECRET).update(`${t}.${body}`).digest("hex");
    const headers = { "x-payments-timestamp": t, "x-payments-signature": mac };
    const { status, answer } = await product.post("pay", body, headers);
    expect(status).toBe(200);
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ account: "7", subject: "tx_1" });
    const later = { ...headers, "x-payments-timestamp": String(Number(t) + 1) };
    expect((await product.post("pay", body, later)).status).toBe(401);
  });

  it("keeps every event of a transaction, and an unknown merchant's for later", async () => {
    await addSource(database.sql, { id: "pay-tx", kind: "payments", accounts: [{ account: "7" }] });
    const types = ["CHECKOUT_SESSION_PAID", "TRANSACTION_SUCCEEDED", "TRANSACTION_REFUNDED"];
    for (const [n, type] of types.entries()) {
      const { answer } = await send(product, "pay-tx", { body: transaction(`ev_${n}`, { type }) });
      expect(["accepted", "ignored"]).toContain(answer.status);
    }
    expect(await countEvents(database.sql, "pay-tx")).toBe(3);
    const { answer } = await send(product, "pay-tx", {
      body: transaction("ev_9", { data: { merchantId: "8" } }),
    });
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ account: "8", waitsKind: "account" });
  });

  it("follows the contract as it is now, not as it was when the source was loaded", async () => {
    await addSource(database.sql, { id: "pay-new", kind: "payments" });
    expect((await send(product, "pay-new", { body: transaction("ev_1") })).status).toBe(200);
    await storeContract(database.sql, "pay-new", {
      version: 1,
      verification: { signature: { header: "x-other", encoding: "base64", prefix: "v1=" } },
    });
    expect((await send(product, "pay-new", { body: transaction("ev_2") })).status).toBe(200);
  });

  it("answers 503 while its contract is none that can be used", async () => {
    await addSource(database.sql, { id: "pay-broken", kind: "payments" });
    await database.sql`update sources set contract = '{"version":2}' where id = 'pay-broken'`;
    const { status, headers } = await product.post("pay-broken", transaction("ev_1"));
    expect([status, headers["retry-after"]]).toEqual([503, "5"]);
  });

  it("with a timestamp per event takes late retries inside the window, and the key guards against replay", async () => {
    const from = { header: "x-payments-timestamp" };
    const freshness = { kind: "per-event", from, unit: "s", toleranceSeconds: 73 * 3600 };
    await addSource(database.sql, {
      id: "pay-late",
      kind: "payments",
      contract: { version: 1, verification: { timestamp: freshness } },
    });
    const start = new Date();
    const deliverAfter = async (hours: number, eventId: string) => {
      now = new Date(start.getTime() + hours * HOUR);
      return await send(product, "pay-late", { body: transaction(eventId), at: start });
    };
    expect((await deliverAfter(0, "ev_1")).status).toBe(200);
    expect((await deliverAfter(71.9, "ev_2")).status).toBe(200);
    expect((await deliverAfter(72, "ev_1")).answer.status).toBe("duplicate");
    product.rejections.length = 0;
    expect((await deliverAfter(73.5, "ev_3")).status).toBe(401);
    expect(product.rejections[0]).toMatchObject({ reason: "timestamp_stale", detail: "skew 264600 s" });
    now = null;
  });
});

describe("hmac", () => {
  const contract = {
    version: 1,
    verification: {
      signature: {
        header: "X-Acme-Signature",
        algorithm: "sha512",
        encoding: "base64",
        prefix: "v2 ",
        separator: ";",
      },
      signedContent: "{id}|{timestamp}|{body}",
      timestamp: { kind: "per-attempt", from: { header: "X-Acme-Time" }, unit: "iso" },
    },
    event: {
      id: { header: "X-Acme-Id", signed: true },
      type: { path: "kind" },
      account: { path: "shop.id", required: true },
      subject: ["order.id", "order.number"],
      mode: { path: "test", live: ["false"], test: ["true"] },
    },
  };
  const order = (overrides: object = {}) =>
    JSON.stringify({ kind: "order.paid", shop: { id: 5 }, order: { number: 77 }, test: false, ...overrides });

  beforeAll(() =>
    addSource(database.sql, { id: "acme", kind: "hmac", contract, accounts: [{ account: "5", own: true }] }),
  );

  it("is verified and identified as its contract says", async () => {
    const { status, answer } = await send(product, "acme", { body: order(), id: "a-1" });
    expect(status).toBe(200);
    expect(await findEvent(database.sql, answer.event)).toMatchObject({
      eventId: "a-1",
      type: "order.paid",
      account: "5",
      subject: "77",
      mode: "live",
    });
    const test = await send(product, "acme", { body: order({ test: true }), id: "a-1" });
    expect(await findEvent(database.sql, test.answer.event)).toMatchObject({
      account: "5~test",
      status: "ignored",
      why: "wrong mode",
    });
    const none = await send(product, "acme", { body: order({ shop: null }), id: "a-2" });
    expect(none.answer.status).toBe("quarantined");
  });

  it("refuses another id, time or body under a captured signature", async () => {
    const body = order({ n: 1 });
    const { "x-acme-time": time, ...signed } = await (async () => {
      const t = new Date().toISOString();
      const mac = createHmac("sha512", SENDER_SECRET).update(`a-9|${t}|${body}`).digest("base64");
      return { "x-acme-id": "a-9", "x-acme-time": t, "x-acme-signature": `v1 AAAA; v2 ${mac}` };
    })();
    const post = async (change: Record<string, string>, text = body) =>
      (await product.post("acme", text, { ...signed, "x-acme-time": time, ...change })).status;
    expect(await post({ "x-acme-id": "a-10" })).toBe(401);
    expect(await post({ "x-acme-time": new Date(Date.now() + 5_000).toISOString() })).toBe(401);
    expect(await post({}, `${body} `)).toBe(401);
    expect(await post({})).toBe(200);
  });
});

describe("a sender that wants proof of who owns the address", () => {
  const token = "a verify token";
  const minimal = (challenges: object[]) => ({
    version: 1,
    verification: {
      signature: { header: "X-Hub-Signature-256", prefix: "sha256=" },
      ...(challenges.length > 1 && {
        signature: { header: "X-Slack-Signature", prefix: "v0=" },
        signedContent: "v0:{timestamp}:{body}",
        timestamp: { kind: "per-attempt", from: { header: "X-Slack-Request-Timestamp" } },
      }),
    },
    event: { id: { path: "event_id" }, type: { path: "type" } },
    challenges,
  });

  beforeAll(async () => {
    const verifyTokenSha256 = createHash("sha256").update(token).digest("hex");
    const contract = minimal([{ kind: "hub-challenge", verifyTokenSha256 }]);
    await addSource(database.sql, { id: "meta", kind: "hmac", contract });
    const slack = minimal([{ kind: "url-verification" }, { kind: "head" }]);
    await addSource(database.sql, { id: "slack", kind: "hmac", contract: slack });
  });
  const get = (query: Record<string, string>, method = "GET", source = "meta") =>
    product.receive({ method, source, query: new URLSearchParams(query).toString() });
  const asked = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": token };

  it("Meta: GET with the right token gets its challenge back, as plain text", async () => {
    expect(await get(asked)).toMatchObject({
      status: 200,
      body: "1158201444",
      headers: { "content-type": "text/plain", "x-content-type-options": "nosniff" },
    });
    for (const change of [
      { "hub.verify_token": "wrong" },
      { "hub.verify_token": "" },
      { "hub.mode": "unsubscribe" },
      { "hub.challenge": "<script>alert(1)</script>\n" },
    ]) {
      const refused = await get({ ...asked, ...change });
      expect([refused.status, refused.body.includes("script")]).toEqual([401, false]);
    }
    expect((await get({})).status).toBe(405);
    expect((await get(asked, "GET", "acme")).status).toBe(405);
  });

  it("Slack: a signed url_verification gets its challenge back and is no event; unsigned it is refused", async () => {
    const body = JSON.stringify({ type: "url_verification", token: "x", challenge: "3eZbrw1aBm2rZgRNFdxV" });
    expect(await send(product, "slack", { body })).toMatchObject({
      status: 200,
      answer: "3eZbrw1aBm2rZgRNFdxV",
    });
    expect((await product.post("slack", body)).status).toBe(401);
    expect((await get({}, "HEAD", "slack")).status).toBe(200);
    expect((await get({}, "HEAD", "meta")).status).toBe(405);
    const odd = JSON.stringify({ type: "url_verification", challenge: { $: 1 } });
    expect((await send(product, "slack", { body: odd })).status).toBe(401);
    expect(await countEvents(database.sql, "slack")).toBe(0);
    const event = JSON.stringify({ type: "event_callback", event_id: "Ev1" });
    expect((await send(product, "slack", { body: event })).answer.status).toBe("ignored");
  });
});
