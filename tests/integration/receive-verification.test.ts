import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET } from "#tests/support/product.ts";
import {
  addSecret,
  addSource,
  countEvents,
  findBroken,
  findEvent,
  type NewSource,
  SENDER_SECRET,
  send,
  signFor,
} from "#tests/support/senders.ts";
import { signStripe, stripeEvent } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;
let now: Date | null = null;
let sources = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { now: () => now ?? new Date() });
});
afterAll(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

/** A source of its own for each test; its id. */
async function add(kind: NewSource["kind"], source: Partial<NewSource> = {}): Promise<string> {
  const id = `s${++sources}`;
  await addSource(database.sql, { id, kind, ...source });
  return id;
}

const stripeHeaders = (body: string, at?: number) => ({ "stripe-signature": signStripe(body, SECRET, at) });

describe("the signature covers the bytes as they were sent", () => {
  const event = stripeEvent();
  const spellings: [string, string][] = [
    ["with 10.0 and an escape", `{"amount": 10.0, "note":"caf\\u00e9", ${JSON.stringify(event).slice(1)}`],
    ["pretty-printed", JSON.stringify({ ...event, note: "café" }, null, 2)],
    ["in another order", JSON.stringify(Object.fromEntries(Object.entries(event).reverse()), null, 1)],
    ["with escaped slashes", JSON.stringify(event).replaceAll("/", "\\/")],
    ["with a line break at the end", `${JSON.stringify(event)}\n`],
  ];

  it.each(spellings)("%s: accepted as sent, refused when re-serialised", async (_, body) => {
    const headers = stripeHeaders(body);
    const again = JSON.stringify(JSON.parse(body));
    expect(again).not.toBe(body);
    expect(await product.post("stripe", again, headers)).toMatchObject({ status: 401 });
    const source = await add("stripe", { secrets: [SECRET], accounts: [{ account: "acct_acme" }] });
    const { status, answer } = await product.post(source, body, headers);
    expect([status, answer.status]).toEqual([200, "accepted"]);
    expect((await findEvent(database.sql, answer.event)).body.toString()).toBe(body);
  });

  it("says the same event in another spelling is a duplicate: the content agrees", async () => {
    const answers: string[] = [];
    for (const [, body] of spellings) {
      answers.push((await product.post("stripe", body, stripeHeaders(body))).answer.status);
    }
    expect(answers).toEqual(["accepted", ...Array(4).fill("duplicate")]);
  });
});

describe("a malformed signature is a plain 401 for every kind of sender", () => {
  const hex = "0".repeat(64);
  it.each([
    [
      "github",
      "x-hub-signature-256",
      ["sha256=abc", `sha1=${hex}`, hex, `sha256=${"g".repeat(64)}`, "sha256=é", ""],
    ],
    [
      "standard-webhooks",
      "webhook-signature",
      ["v1,abc", `v1,${"A".repeat(44)}`, "v1,", "v1a,AAAA", "v1", ""],
    ],
    ["payments", "x-payments-signature", ["abc", "abxx", `${hex}0`, "é".repeat(64), ""]],
    ["stripe", "stripe-signature", ["t=1,v1=", `v1=${hex}`, `t=1,v1=${hex.slice(1)}`, "t=é,v1=é", ","]],
  ] as const)("%s", async (kind, name, values) => {
    const source = await add(kind, { secrets: [kind === "stripe" ? SECRET : SENDER_SECRET] });
    const body = "{}";
    const good = await signFor(database.sql, source, {
      body,
      secret: source === "stripe" ? SECRET : undefined,
    });
    for (const value of values) {
      const { status, answer } = await product.post(source, body, { ...good, [name]: value });
      expect([value, status]).toEqual([value, 401]);
      expect(answer).toEqual({
        error: { code: "signature_invalid", message: "The signature could not be verified." },
      });
    }
    expect(await countEvents(database.sql, source)).toBe(0);
  });
});

describe("freshness", () => {
  it("is looked at on both sides, and the tolerance itself still counts as fresh", async () => {
    product.rejections.length = 0;
    const t = 1_800_000_000;
    const statusAt = async (skew: number) => {
      now = new Date((t + skew) * 1000 + 999);
      const body = JSON.stringify(stripeEvent());
      return (await product.post("stripe", body, stripeHeaders(body, t))).status;
    };
    for (const skew of [-300, -2, 0, 2, 300]) expect([skew, await statusAt(skew)]).toEqual([skew, 200]);
    for (const skew of [-3600, -301, 301, 3600]) expect([skew, await statusAt(skew)]).toEqual([skew, 401]);
    expect(product.rejections.map(({ reason, detail }) => [reason, detail])).toEqual([
      ["timestamp_stale", "skew -3600 s"],
      ["timestamp_stale", "skew -301 s"],
      ["timestamp_stale", "skew 301 s"],
      ["timestamp_stale", "skew 3600 s"],
    ]);
    now = null;
  });
});

describe("a secret that anybody could have", () => {
  const keys: Record<string, (text: string) => (string | Buffer)[]> = {
    stripe: (text) => [text],
    github: (text) => [text],
    "standard-webhooks": (text) => [text, Buffer.from(text.replace(/^whsec_/, ""), "base64")],
    payments: (text) => [text],
  };
  const texts = ["", "   ", "\n", "short", "whsec_", "whsec_!!!!", "change-me-please-now", "a".repeat(40)];

  it.each(["stripe", "github", "standard-webhooks", "payments"] as const)(
    "is refused at load by %s: 503, and nothing signed with it gets in",
    async (kind) => {
      const body = JSON.stringify({ ...stripeEvent(), eventId: "e1" });
      product.rejections.length = 0;
      for (const text of texts) {
        // Their own shape is all that these two ask for.
        if (text.startsWith("a") && (kind === "stripe" || kind === "standard-webhooks")) continue;
        const source = await add(kind, { secrets: [text] });
        for (const key of [text, ...keys[kind]!(text)]) {
          const t = String(Math.floor(Date.now() / 1000));
          const mac = (content: string) => createHmac("sha256", key).update(content).digest();
          const headers = {
            "stripe-signature": `t=${t},v1=${mac(`${t}.${body}`).toString("hex")}`,
            "x-hub-signature-256": `sha256=${mac(body).toString("hex")}`,
            "x-github-delivery": "d1",
            "x-github-event": "ping",
            "webhook-id": "m1",
            "webhook-timestamp": t,
            "webhook-signature": `v1,${mac(`m1.${t}.${body}`).toString("base64")}`,
            "x-payments-timestamp": t,
            "x-payments-signature": mac(`${t}.${body}`).toString("hex"),
          };
          const { status, headers: answered } = await product.post(source, body, headers);
          expect([text, status, answered["retry-after"]]).toEqual([text, 503, "5"]);
        }
        expect(await countEvents(database.sql, source)).toBe(0);
      }
      expect(new Set(product.rejections.map(({ reason }) => reason))).toEqual(new Set(["no_usable_secret"]));
    },
  );

  it("does no harm beside a good one, and a line break around a good one is no part of it", async () => {
    const gh = await add("github", { secrets: ["   ", `${SENDER_SECRET}\n`] });
    const body = '{"zen":"x","hook_id":1,"hook":{}}';
    expect(await send(product, gh, { body, type: "ping" })).toMatchObject({ status: 200 });
    expect(await send(product, gh, { body, type: "ping", secret: "   " })).toMatchObject({ status: 401 });
  });

  it("is out of use from the moment at which a usable one is added", async () => {
    const gh = await add("github", { secrets: [""] });
    const body = '{"zen":"x","hook_id":1,"hook":{}}';
    expect((await send(product, gh, { body, type: "ping" })).status).toBe(503);
    await addSecret(database.sql, gh, SENDER_SECRET);
    expect((await send(product, gh, { body, type: "ping" })).status).toBe(200);
  });
});

it("a whsec_ secret is the base64 after its prefix, padded or not, and never the text", async () => {
  const padded = `whsec_${Buffer.from("0123456789abcdef0123456789").toString("base64")}`;
  expect(padded.endsWith("=")).toBe(true);
  const secrets = [padded, padded.replace(/=+$/, "")];
  const body = '{"type":"thing.made","data":{"id":"x"}}';
  const t = String(Math.floor(Date.now() / 1000));
  const headersBy = (key: string | Buffer) => ({
    "webhook-id": "m1",
    "webhook-timestamp": t,
    "webhook-signature": `v1,${createHmac("sha256", key).update(`m1.${t}.${body}`).digest("base64")}`,
  });
  for (const secret of secrets) {
    const source = await add("standard-webhooks", { secrets: [secret] });
    const key = Buffer.from(padded.slice(6), "base64");
    expect((await product.post(source, body, headersBy(padded))).status).toBe(401);
    expect((await product.post(source, body, headersBy(key))).status).toBe(200);
  }
});

describe("a GitHub delivery whose id nobody signed", () => {
  const body = JSON.stringify({
    action: "opened",
    issue: { number: 7 },
    repository: { full_name: "acme/shop", owner: { id: 4711 } },
  });
  let gh: string;
  const deliver = async (headers: Record<string, string>, id?: string) => {
    const signed = await signFor(database.sql, gh, { body, id, type: "issues.opened" });
    const { status, answer } = await product.post(gh, body, { ...signed, ...headers });
    return [status, answer.status, answer.event];
  };

  beforeEach(async () => {
    gh = await add("github", { accounts: [{ account: "4711", own: true }] });
  });

  it("sent again under a fresh id is quarantined as a suspected replay, each time", async () => {
    const [, first] = await deliver({}, "guid-1");
    expect(first).toBe("ignored");
    const replayed = await deliver({}, "guid-2");
    expect(replayed.slice(0, 2)).toEqual([200, "quarantined"]);
    expect(await deliver({}, "guid-2")).toEqual(replayed);
    expect(await findEvent(database.sql, String(replayed[2]))).toMatchObject({
      status: "quarantined",
      why: expect.stringContaining("suspected_replay"),
    });
    expect((await deliver({}, "guid-1")).slice(0, 2)).toEqual([200, "duplicate"]);
  });

  it("under two ids at once, in one batch, is let in once", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => deliver({}, `guid-${n}`)));
    const states = answers.map(([, status]) => status).sort();
    expect(states).toEqual(["ignored", ...Array(19).fill("quarantined")]);
  });

  it("without an id, with an empty one or with two is quarantined under a key of its bytes, once", async () => {
    const answers = [
      await deliver({ "x-github-delivery": "" }),
      await deliver({ "x-github-delivery": "a, b" }),
      await deliver({ "x-github-delivery": " " }),
    ];
    expect(new Set(answers.map((answer) => answer.join()))).toHaveLength(1);
    expect(answers[0]!.slice(0, 2)).toEqual([200, "quarantined"]);
    expect(await countEvents(database.sql, gh)).toBe(1);
  });

  it("under the name of another event is quarantined: the body does not fit", async () => {
    await deliver({}, "guid-1");
    const renamed = await deliver({ "x-github-event": "push" }, "guid-1");
    expect(renamed.slice(0, 2)).toEqual([200, "quarantined"]);
  });
});
