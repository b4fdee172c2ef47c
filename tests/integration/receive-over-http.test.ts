import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeServer, createHttpServer, listen } from "#app/http-server.ts";
import { matchWebhook, serveWebhook } from "#app/node-request.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET, streamOf } from "#tests/support/product.ts";
import { sendBytes } from "#tests/support/raw-http.ts";
import { addSource, countEvents, findBroken, findEvent } from "#tests/support/senders.ts";
import { signStripe, stripeEvent } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;
let server: Server;
let port: number;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { maxHeldBytes: 2_000_000 });
  server = createHttpServer(
    (request, response) => serveWebhook(product.receive, matchWebhook(request.url)!, request, response),
    console.error,
  );
  // As Next does.
  server.on("upgrade", (_request, socket) => socket.destroy());
  await listen(server, 0, "127.0.0.1");
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  await closeServer(server, 100);
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const PATH = "/api/webhooks/stripe";
const request = (body: Buffer | string, headers: string[] = [], path = PATH) => [
  [`POST ${path} HTTP/1.1`, "Host: x", `Content-Length: ${Buffer.byteLength(body)}`, ...headers, "", ""].join(
    "\r\n",
  ),
  body,
];
const signature = (body: Buffer | string) => `Stripe-Signature: ${signStripe(body, SECRET)}`;
const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));

describe("an authentic event", () => {
  it.each([
    [
      "that offers HTTP/2 over cleartext, as Java does",
      ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMA"],
    ],
    ["that says what encoding it has not", ["Content-Encoding: identity"]],
    [
      "from behind three proxies",
      ["X-Forwarded-For: 1.2.3.4, 5.6.7.8", "Forwarded: for=1.2.3.4", "Via: 1.1 x"],
    ],
    ["with a cookie and an authorization that mean nothing here", ["Cookie: a=b", "Authorization: Bearer x"]],
    ["with a broken traceparent", ["Traceparent: 00-x"]],
    ["with a header in Latin-1", ["User-Agent: caf\xe9"]],
    ["under a path with a query", [], `${PATH}?x=%00&y`],
    ["under a path with a slash and a query", [], `${PATH}/?`],
    ["under an escaped path", [], "/api/webhooks/%73tripe"],
  ])("%s is stored with its bytes", async (_, headers, path = PATH) => {
    const body = JSON.stringify(stripeEvent());
    const [head] = request(body, [signature(body), ...headers], path);
    const answer = await sendBytes(port, [Buffer.from(String(head), "latin1"), body]);
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('"accepted"')]);
    expect((await findEvent(database.sql, JSON.parse(answer.body).event)).body.toString()).toBe(body);
  });

  it.each(["gzip", "br", "gzip, identity", "x", "Identity, identity"])(
    "encoded as %s is a 415",
    async (encoding) => {
      const body = JSON.stringify(stripeEvent());
      const answer = await sendBytes(port, request(body, [signature(body), `Content-Encoding: ${encoding}`]));
      expect(answer.status).toBe(415);
    },
  );

  it("with its signature header twice is refused: nobody can say which one counts", async () => {
    const body = JSON.stringify(stripeEvent());
    const answer = await sendBytes(port, request(body, [signature(body), signature(body)]));
    expect(answer.status).toBe(401);
  });
});

describe("senders that drip", () => {
  async function drip(count: number): Promise<Socket[]> {
    const sockets = Array.from({ length: count }, () => connect(port, "127.0.0.1"));
    const body = JSON.stringify(stripeEvent());
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.write(request(body, [signature(body)])[0]!);
      const timer = setInterval(() => socket.writable && socket.write("{"), 50);
      socket.on("close", () => clearInterval(timer));
    }
    await expect.poll(open, { timeout: 5_000 }).toBeGreaterThanOrEqual(count);
    return sockets;
  }

  it("hold up nobody else, are cut off when their time is over, and leave nothing", async () => {
    server.requestTimeout = 1_000;
    const before = await countEvents(database.sql, "stripe");
    const sockets = await drip(100);
    for (let n = 0; n < 10; n++) {
      const body = JSON.stringify(stripeEvent());
      const start = Date.now();
      expect((await sendBytes(port, request(body, [signature(body)]))).status).toBe(200);
      expect(Date.now() - start).toBeLessThan(1_000);
    }
    const answers = await Promise.all(
      sockets.map(
        (socket) => new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data)))),
      ),
    );
    expect(new Set(answers.map((answer) => answer.slice(9, 12)))).toEqual(new Set(["400"]));
    await expect.poll(open, { timeout: 8_000 }).toBeLessThan(10);
    expect(await countEvents(database.sql, "stripe")).toBe(before + 10);
    server.requestTimeout = 30_000;
  });

  it("large bodies cannot fill the memory: beyond the budget 503, while small events pass", async () => {
    await addSource(database.sql, { id: "large", kind: "stripe", settings: { maxBodyBytes: 4_000_000 } });
    const release = Promise.withResolvers<void>();
    let reading = 0;
    async function* slowly(bytes: number) {
      yield Buffer.alloc(bytes, 0x20);
      reading++;
      await release.promise;
    }
    const send = (bytes: number) => product.receive({ source: "large", body: slowly(bytes) });
    const held = [send(900_000), send(900_000)];
    await expect.poll(() => reading).toBe(2);
    expect(await product.receive({ source: "large", body: streamOf(Buffer.alloc(900_000)) })).toMatchObject({
      status: 503,
      headers: { "retry-after": "5" },
    });
    expect((await product.deliver(stripeEvent())).status).toBe(200);
    expect((await product.receive({ source: "large", body: streamOf(Buffer.alloc(60_000)) })).status).toBe(
      401,
    );
    release.resolve();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([401, 401]);
    expect((await product.receive({ source: "large", body: streamOf(Buffer.alloc(1_900_000)) })).status).toBe(
      401,
    );
  });
});
