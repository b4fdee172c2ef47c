import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildConsole } from "#lib/supervise/build-console.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { type Running, startProcess } from "#tests/support/processes.ts";
import { createProduct, SECRET, SECRET_KEY } from "#tests/support/product.ts";
import { findFreePort } from "#tests/support/running-app.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const ROOT = `${import.meta.dirname}/../..`;
const LIMIT = 65_536;

let database: TestDatabase;

beforeAll(async () => {
  await buildConsole(ROOT, new AbortController().signal);
  database = await createTestDatabase();
  await createProduct(database.sql);
  await database.sql`insert into sources (id, kind, name) values ('no-secret', 'stripe', 'No secret')`;
  await database.sql`insert into source_accounts (source_id, account, tenant_id, mode, own) values ('no-secret', 'acct_x', 'acme', 'live', true)`;
}, 240_000);
afterAll(() => database?.drop());

/** The same receive function, behind our own server and behind Next's route handler: the same answers. */
describe.each([
  ["server.ts, in front of Next", "app/web-server.ts", [], /"msg":"listening"/],
  ["Next's route handler", "node_modules/next/dist/bin/next", ["start"], /Ready in/],
])("the receiver through %s", (_, file, args, ready) => {
  let server: Running;
  let port: number;
  let url: string;

  beforeAll(async () => {
    port = await findFreePort();
    url = `http://127.0.0.1:${port}/api/webhooks/stripe`;
    const env = {
      DATABASE_URL: database.url,
      SECRET_KEY: SECRET_KEY.toString("base64"),
      MAX_BODY_BYTES: String(LIMIT),
      PORT: String(port),
      HOSTNAME: "127.0.0.1",
      NODE_ENV: "production",
    };
    server = startProcess(file, env, args);
    await server.until(ready);
  }, 60_000);
  afterAll(async () => server?.kill("SIGTERM"));

  const post = async (body: BodyInit | null, headers: Record<string, string> = {}, to = url) => {
    const response = await fetch(to, {
      method: "POST",
      body,
      headers,
      redirect: "manual",
      duplex: "half",
    } as RequestInit);
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  const signed = (body: string, at?: number) => ({ "stripe-signature": signStripe(body, SECRET, at) });
  const signedBytes = (body: Buffer) => {
    const time = Math.floor(Date.now() / 1000);
    return {
      "stripe-signature": `t=${time},v1=${createHmac("sha256", SECRET).update(`${time}.`).update(body).digest("hex")}`,
    };
  };
  const lastRejection = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const [row] = await database.sql`select reason, detail from rejections order by id desc limit 1`;
    return row;
  };

  it("accepts, then says duplicate with the uuid of the first", async () => {
    const body = JSON.stringify(stripeEvent());
    const first = await post(body, signed(body));
    expect(first).toMatchObject({ status: 200, json: { status: "accepted" } });
    expect(await post(body, signed(body))).toMatchObject({
      status: 200,
      json: { status: "duplicate", event: first.json.event },
    });
  });

  it("answers both spellings of the URL directly", async () => {
    const body = JSON.stringify(stripeEvent());
    expect((await post(body, signed(body), `${url}/`)).status).toBe(200);
    expect((await post("{}", {}, `${url}/`)).status).toBe(401);
  });

  it("ignores a type that nothing handles, and keeps it", async () => {
    const body = JSON.stringify(
      stripeEvent({ type: "customer.tax_id.created" }, { id: "txi_1", object: "tax_id" }),
    );
    expect((await post(body, signed(body))).json.status).toBe("ignored");
  });

  it("quarantines other content under an accepted event id, and leaves the first alone", async () => {
    const event = stripeEvent();
    const first = JSON.stringify(event);
    const other = JSON.stringify({ ...event, data: { object: stripeInvoice({ amount_paid: 4990 }) } });
    const { json } = await post(first, signed(first));
    expect((await post(other, signed(other))).json).toEqual({ status: "quarantined", event: json.event });
    const [row] =
      await database.sql`select status, (select count(*)::int from inbox_conflicts where inbox_event_id = e.id) as conflicts
      from inbox_events e where id = ${json.event}`;
    expect(row).toEqual({ status: "pending", conflicts: 1 });
  });

  it("is not confused by what legitimately changes between deliveries", async () => {
    const event = stripeEvent();
    const [first, second] = [
      JSON.stringify(event),
      JSON.stringify({ ...event, pending_webhooks: 0, api_version: "2020-08-27" }),
    ];
    const { json } = await post(first, signed(first));
    expect((await post(second!, signed(second!))).json).toEqual({ status: "duplicate", event: json.event });
  });

  it.each([
    ["not JSON", Buffer.from("{nope")],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["without an id", Buffer.from('{"type":"invoice.paid","livemode":true}')],
    ["with an absurd number", Buffer.from('{"id":"evt_x","x":1e400000}')],
    ["nested 20,000 deep", Buffer.from(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)],
    ["empty", Buffer.alloc(0)],
    ["with a byte order mark and nothing in it", Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d])],
  ])("keeps an authentic body that is %s, in quarantine, once", async (_, body) => {
    const first = await post(new Uint8Array(body), signedBytes(body));
    expect(first).toMatchObject({ status: 200, json: { status: "quarantined" } });
    expect((await post(new Uint8Array(body), signedBytes(body))).json.event).toBe(first.json.event);
    const [row] = await database.sql`select b.body from inbox_events e
      join inbox_bodies b on b.inbox_event_id = e.id and b.expires_on = e.body_expires_on where e.id = ${first.json.event}`;
    expect(Buffer.compare(row!.body, body)).toBe(0);
  });

  it("keeps NUL and lone surrogates in a payload as bytes", async () => {
    const body = JSON.stringify(stripeEvent({}, stripeInvoice({ customer_name: "a\u0000b\ud800" })));
    expect((await post(body, signed(body))).json.status).toBe("accepted");
  });

  it.each([
    ["missing", () => ({})],
    ["empty", () => ({ "stripe-signature": "" })],
    ["malformed", () => ({ "stripe-signature": "t=1,v1=abc" })],
    [
      "of an older scheme only",
      (body: string) => ({ "stripe-signature": signStripe(body, SECRET).replace("v1=", "v0=") }),
    ],
    ["with two timestamps", (body: string) => ({ "stripe-signature": `t=1,${signStripe(body, SECRET)}` })],
    [
      "made with another secret",
      (body: string) => ({ "stripe-signature": signStripe(body, `whsec_${"x".repeat(32)}`) }),
    ],
    ["over other bytes", (body: string) => signed(`${body} `)],
    ["too old", (body: string) => signed(body, Math.floor(Date.now() / 1000) - 400)],
    ["from the future", (body: string) => signed(body, Math.floor(Date.now() / 1000) + 3600)],
  ])("refuses a signature that is %s with one plain 401", async (_, headersFor) => {
    const body = JSON.stringify(stripeEvent());
    const answer = await post(body, headersFor(body) as Record<string, string>);
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      error: { code: "signature_invalid", message: "The signature could not be verified." },
    });
  });

  it("tells the true reason, and the measured skew, in the rejection log", async () => {
    const body = JSON.stringify(stripeEvent());
    await post(body, signed(body, Math.floor(Date.now() / 1000) - 4_000));
    expect(await lastRejection()).toMatchObject({
      reason: "timestamp_stale",
      detail: expect.stringMatching(/^skew 400\d s$/),
    });
  });

  it("accepts the right one among several signatures, in either order, with spaces", async () => {
    for (const order of [0, 1]) {
      const body = JSON.stringify(stripeEvent());
      const [time, right] = signStripe(body, SECRET).split(",") as [string, string];
      const both = [`v1=${"0".repeat(64)}`, right];
      if (order) both.reverse();
      expect((await post(body, { "stripe-signature": `${time}, ${both.join(", ")}` })).status).toBe(200);
    }
  });

  it.each(["GET", "PUT", "DELETE", "PATCH"])("answers %s with 405", async (method) => {
    const response = await fetch(url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });

  it("answers 404, 415 and 503 where the contract says so", async () => {
    expect((await post("{}", {}, url.replace("stripe", "nobody"))).status).toBe(404);
    expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415);
    const unusable = await post("{}", {}, url.replace("stripe", "no-secret"));
    expect(unusable.status).toBe(503);
    expect(unusable.headers.get("retry-after")).toBe("5");
  });

  it("stops reading at the limit, announced or not", async () => {
    const large = Buffer.alloc(LIMIT + 1, 0x20);
    expect((await post(new Uint8Array(large))).status).toBe(413);
    const exact = Buffer.alloc(LIMIT, 0x20);
    expect((await post(new Uint8Array(exact), signedBytes(exact))).json.status).toBe("quarantined");
    // Last, because it takes seconds through Next, which closes idle connections meanwhile.
    // Without a length, four megabytes at the most: fetch itself would buffer an endless stream without bound.
    let chunks = 256;
    const endless = new ReadableStream({
      pull: (controller) => (chunks-- > 0 ? controller.enqueue(new Uint8Array(16_384)) : controller.close()),
    });
    const answer = await post(endless).catch((error) => ({ status: error.cause?.code as string }));
    expect([413, "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]).toContain(answer.status);
  });

  it("never stores a body that ended early", async () => {
    const body = JSON.stringify(stripeEvent());
    const answer = await sendRaw(port, [
      "POST /api/webhooks/stripe HTTP/1.1",
      "Host: x",
      `Stripe-Signature: ${signStripe(body, SECRET)}`,
      `Content-Length: ${body.length + 10}`,
      "",
      body,
    ]);
    expect(answer === "" || answer.startsWith("HTTP/1.1 400")).toBe(true);
    const [row] =
      await database.sql`select count(*)::int as rows from inbox_events where event_id = ${JSON.parse(body).id}`;
    expect(row).toEqual({ rows: 0 });
  });
});

/** Sends lines and ends its side of the connection; resolves with all that came back. */
function sendRaw(port: number, lines: string[]): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(lines.join("\r\n")));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
}
