import { createHash, createHmac, randomUUID } from "node:crypto";
import fc from "fast-check";
import { SENDER_SECRET } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

/** One request as bytes, and what is known about it. */
export type FuzzRequest = {
  source: string;
  head: Buffer;
  body: Buffer;
  /** The receiver must take it; otherwise it must not. */
  authentic: boolean;
  /** The body itself, however it is framed. */
  bytes: Buffer;
  /** Our side is closed after the last byte: the body may be short. */
  end: boolean;
  /** For a failure's report. */
  what: string;
};

const SOURCES = ["stripe-1", "github-1", "std-1", "pay-1"] as const;
type Source = (typeof SOURCES)[number];

const hmac = (content: (string | Buffer)[], key: string | Buffer, encoding: "hex" | "base64") =>
  content.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest(encoding);

/** Written again here, not taken from the adapters: what the fuzz compares them with. */
const signers: Record<
  Source,
  (body: Buffer, secret: string, at: number, id: string) => Record<string, string>
> = {
  "stripe-1": (body, secret, at) => ({
    "Stripe-Signature": `t=${at},v1=${hmac([`${at}.`, body], secret, "hex")}`,
  }),
  "github-1": (body, secret, _at, id) => ({
    "X-Hub-Signature-256": `sha256=${hmac([body], secret, "hex")}`,
    "X-GitHub-Delivery": id,
    "X-GitHub-Event": "issues",
  }),
  "std-1": (body, secret, at, id) => ({
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": `v1,${hmac([`${id}.${at}.`, body], Buffer.from(secret.slice(6), "base64"), "base64")}`,
  }),
  "pay-1": (body, secret, at) => ({
    "X-Payments-Timestamp": String(at),
    "X-Payments-Signature": hmac([`${at}.`, body], secret, "hex"),
  }),
};
const SIGNATURE: Record<Source, string> = {
  "stripe-1": "Stripe-Signature",
  "github-1": "X-Hub-Signature-256",
  "std-1": "webhook-signature",
  "pay-1": "X-Payments-Signature",
};

/** Bodies that once broke somebody's receiver, and what grows out of them. */
const CORPUS: (Buffer | string)[] = [
  "",
  " ",
  "null",
  "[]",
  "{}",
  '"x"',
  "1e400000",
  "{",
  '{"id":',
  '{"a":1,"a":2}',
  '{"id":"evt_1","id":"evt_2","type":"x","livemode":true}',
  '{"__proto__":{"id":"evt_p"},"constructor":1,"toString":2}',
  '{"id":"a\\u0000b","type":"x","livemode":true}',
  '{"id":"\\ud800","type":"x","livemode":true}',
  '{"id":9007199254740993,"type":"x","livemode":true}',
  '{"id":1e3,"type":"x","livemode":true}',
  '{"id":"evt_v","type":"x","livemode":true,"api_version":"\\u0000","account":"acct~test"}',
  `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
  `{"x":${"9".repeat(500)}}`,
  Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
  Buffer.from([0x22, 0xff, 0x22]),
  Buffer.from([0x00]),
  "payload=%7B%22action%22%3A%22opened%22%7D",
  "payload=&payload=",
  JSON.stringify(stripeEvent({}, stripeInvoice({ customer_name: "\u202e<script>\u2028" })), null, 2),
  JSON.stringify({
    eventId: "e",
    type: "TRANSACTION_SUCCEEDED",
    transactionId: 18446744073709551615n.toString(),
  }),
  JSON.stringify({ action: "opened", issue: { number: 1 }, repository: { owner: { id: 1 } } }),
  JSON.stringify({ type: "thing.made", data: { id: "x" } }),
  "x".repeat(20_000),
];

const freshEvent = () =>
  JSON.stringify({
    ...stripeEvent({ id: `evt_${randomUUID()}` }),
    eventId: randomUUID(),
    action: "opened",
    issue: { number: 1 },
    repository: { owner: { id: 4711 } },
    data: { object: stripeInvoice(), id: "x" },
  });

const bodies: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(null).map(() => Buffer.from(freshEvent())) },
  { weight: 3, arbitrary: fc.constantFrom(...CORPUS).map((body) => Buffer.from(body as string)) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 2,
    arbitrary: fc
      .record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), cut: fc.boolean() })
      .map(({ at, byte, cut }) => {
        const body = Buffer.from(freshEvent());
        body[at % body.length] = byte;
        return cut ? body.subarray(0, at % body.length) : body;
      }),
  },
);

/** Whether the sender is the real one; everything but the first two is not. */
const signings = fc.oneof(
  { weight: 6, arbitrary: fc.constant("right" as const) },
  { weight: 1, arbitrary: fc.constant("right, several" as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "none",
      "empty",
      "wrong secret",
      "other bytes",
      "stale",
      "flipped",
      "cut",
      "twice",
      "noise",
    ),
  },
);

/** GitHub signs no time, so nothing of its is stale. */
const isRight = (source: Source, signing: string) =>
  signing.startsWith("right") || (signing === "stale" && source === "github-1");

const FLIPPED: Record<string, string> = { 0: "1", A: "B", a: "b" };
const flip = (text: string) => text.slice(0, -5) + (FLIPPED[text.at(-5)!] ?? "0") + text.slice(-4);

function signatureLines(source: Source, signing: string, body: Buffer, noise: string): string[] {
  const now = Math.floor(Date.now() / 1000);
  const id = randomUUID();
  const bytes = signing === "other bytes" ? Buffer.concat([body, Buffer.from(" ")]) : body;
  const secret = signing === "wrong secret" ? SENDER_SECRET.replace("whsec_d", "whsec_e") : SENDER_SECRET;
  const headers = signers[source](bytes, secret, signing === "stale" ? now - 4_000 : now, id);
  const name = SIGNATURE[source];
  const right = headers[name]!;
  if (signing === "none") delete headers[name];
  if (signing === "empty") headers[name] = "";
  if (signing === "flipped") headers[name] = flip(right);
  if (signing === "cut") headers[name] = right.slice(0, -3);
  if (signing === "noise") headers[name] = noise;
  if (signing === "right, several" && source === "stripe-1")
    headers[name] = `${right}, v1=${"0".repeat(64)},v0=x`;
  if (signing === "right, several" && source === "std-1") headers[name] = `v1,AAAA v1a,x ${right}`;
  const lines = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return signing === "twice" ? [...lines, `${name}: ${right}`] : lines;
}

const headerNoise = fc
  .string({ unit: "binary-ascii", maxLength: 40 })
  .map((text) => text.replace(/[^\x20-\x7e]/g, "~"));
/** Headers that must change nothing, for whoever is authentic. */
const harmless = fc.subarray([
  "Content-Type: application/json; charset=utf-8",
  "User-Agent: \xe9\xff \t x",
  "Content-Encoding: identity",
  "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA",
  "Expect: 100-continue",
  "X-Forwarded-For: 127.0.0.1",
  "Traceparent: 00-0-0-0",
  "Stripe-Account: acct_other",
  "Cookie: a=b",
]);
/** What stands in the way of a valid event. */
const obstacle = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "gzip",
      "method",
      "unknown source",
      "odd source",
      "short",
      "long",
      "broken header",
      "huge length",
    ),
  },
);

export const fuzzRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    source: fc.constantFrom(...SOURCES),
    body: bodies,
    signing: signings,
    noise: headerNoise,
    extra: harmless,
    chunked: fc.boolean(),
    slash: fc.constantFrom("", "/", "?a=%ff", "/?"),
    method: fc.constantFrom("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"),
    name: fc.constantFrom(
      "nobody",
      "%00",
      "a%00b",
      "%ff",
      "%2e%2e",
      "STRIPE-1",
      "stripe-1%20",
      `${"x".repeat(300)}`,
    ),
    obstacle,
  })
  .map(({ source, body, signing, noise, extra, chunked, slash, method, name, obstacle }) => {
    const isUnknown = obstacle === "unknown source" || obstacle === "odd source";
    const path = `/api/webhooks/${obstacle === "unknown source" ? "nobody" : isUnknown ? name : source}${slash}`;
    // A length that lies is not said in chunks.
    const lies = obstacle === "short" || obstacle === "long" || obstacle === "huge length";
    const inChunks = chunked && !lies;
    const length = {
      short: body.length + 7,
      long: Math.max(0, body.length - 1),
      "huge length": 99_999_999_999,
    };
    const lines = [
      `${obstacle === "method" ? method : "POST"} ${path} HTTP/1.1`,
      "Host: x",
      inChunks
        ? "Transfer-Encoding: chunked"
        : `Content-Length: ${lies ? length[obstacle as keyof typeof length] : body.length}`,
      ...signatureLines(source, signing, body, noise),
      ...extra,
      ...(obstacle === "gzip" ? ["Content-Encoding: gzip"] : []),
      ...(obstacle === "broken header" ? ["X-\x01Bad\x00: \x07"] : []),
    ];
    const what = `${lines.join(" | ")} || ${signing}, ${obstacle} || ${body.toString("latin1").slice(0, 300)}`;
    return {
      source,
      head: Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
      body: inChunks ? inChunk(body) : body,
      authentic:
        isRight(source, signing) && (obstacle === null || (obstacle === "long" && body.length === 0)),
      end: obstacle === "short",
      what,
      bytes: body,
      [fc.toStringMethod]: () => what,
    };
  });

const inChunk = (body: Buffer) =>
  Buffer.concat([
    ...(body.length > 0 ? [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")] : []),
    Buffer.from("0\r\n\r\n"),
  ]);

export const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
