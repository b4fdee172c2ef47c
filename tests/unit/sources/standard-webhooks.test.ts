import { describe, expect, test } from "vitest";
import { NOW, OTHER_SECRET, readHeaders, SECRET, useAdapter } from "./arrange.ts";

const adapter = useAdapter("standard-webhooks");
const body = Buffer.from('{"type":"invoice.paid","data":{"id":"in_9"}}');
const signed = adapter.sign({ body, secret: SECRET, now: NOW, contract: null, id: "msg_1" });
const other = adapter.sign({ body, secret: OTHER_SECRET, now: NOW, contract: null, id: "msg_1" });
const right = signed["webhook-signature"]!;
const wrong = other["webhook-signature"]!;

const verify = (headers: Record<string, string>) =>
  adapter.verify({ body, header: readHeaders(headers), secrets: [SECRET], now: NOW, contract: null });
const withSignature = (signature: string) => verify({ ...signed, "webhook-signature": signature });
const asSvix = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace("webhook", "svix"), value]),
  );

describe("the header families", () => {
  test("are equal, also side by side when they say the same", () => {
    for (const headers of [signed, asSvix(signed), { ...signed, ...asSvix(signed) }]) {
      expect(verify(headers)).toEqual({ ok: true, secret: SECRET });
    }
  });

  test("are refused when they contradict each other", () => {
    for (const [name, value] of Object.entries({ id: "msg_2", timestamp: "1", signature: wrong })) {
      const headers = { ...signed, ...asSvix(signed), [`svix-${name}`]: value };
      expect(verify(headers)).toEqual({ ok: false, reason: "signature_malformed" });
      expect(adapter.identify({ payload: {}, header: readHeaders(headers), body, contract: null }).ok).toBe(
        false,
      );
    }
  });

  test("are never mixed", () => {
    const { "webhook-id": _, ...rest } = signed;
    expect(verify({ ...rest, "svix-id": "msg_1" })).toEqual({ ok: false, reason: "signature_missing" });
  });
});

describe("several signatures", () => {
  test.each([
    ["the right one first", `${right} ${wrong}`],
    ["the right one last", `${wrong} ${right}`],
    ["decoys of other versions", `v1a,AAAA v2,${right.slice(3)} ${right}`],
    ["one of a wrong length", `v1,AAAA ${right}`],
  ])("with %s are accepted", (_, signature) => {
    expect(withSignature(signature)).toEqual({ ok: true, secret: SECRET });
  });

  test("without its padding is the same signature", () => {
    expect(withSignature(right.replace(/=$/, ""))).toEqual({ ok: true, secret: SECRET });
  });

  test.each([
    ["only another version", `v2,${right.slice(3)}`],
    ["only an asymmetric one", `v1a,${right.slice(3)}`],
    ["no version", right.slice(3)],
    ["a header sent twice", `${wrong}, ${right}`],
    ["an empty one", "v1,"],
    ["base64 of the URL alphabet", `v1,${"-_".repeat(21)}A=`],
    ["stray bits after the last byte", `v1,${"A".repeat(42)}B=`],
  ])("with %s are refused", (_, signature) => {
    expect(withSignature(signature)).toEqual({ ok: false, reason: "signature_malformed" });
  });
});

test.each([
  "01772532000",
  "1772532000.0",
  "+1772532000",
  " 1772532000",
  "1.772532e9",
  "1772532000, 1772532000",
])("the timestamp %j is malformed", (timestamp) => {
  const reason = "signature_malformed";
  expect(verify({ ...signed, "webhook-timestamp": timestamp })).toEqual({ ok: false, reason });
});

describe("a secret", () => {
  const key = (bytes: number, encoding: BufferEncoding = "base64") =>
    Buffer.alloc(bytes, "key").toString(encoding);

  test.each([`whsec_${key(24)}`, `whsec_${key(64)}`, `whsec_${key(25).replace(/=+$/, "")}`, key(32)])(
    "%s is accepted",
    (text) => {
      expect(adapter.checkSecret(text)).toBeNull();
    },
  );

  test.each([
    "whsec_!!!!",
    "whsec_",
    `whsec_${key(23)}`,
    `whsec_${key(65)}`,
    `whsec_${key(24)} `,
    `whsec_${Buffer.alloc(24, 0xff).toString("base64url")}`,
    `whsk_${key(32)}`,
    "whsec_not-base64-but-a-long-text-all-the-same",
  ])("%j is refused", (text) => {
    expect(adapter.checkSecret(text)).toEqual(expect.any(String));
    const secret = { text, fingerprint: "bad" };
    expect(() => adapter.sign({ body, secret, now: NOW, contract: null })).toThrow();
  });

  test("unpadded verifies what the padded one signed", () => {
    const padded = { text: `whsec_${key(25)}`, fingerprint: "p" };
    const bare = { text: padded.text.replace(/=+$/, ""), fingerprint: "b" };
    const headers = adapter.sign({ body, secret: padded, now: NOW, contract: null });
    const input = { body, header: readHeaders(headers), secrets: [bare], now: NOW, contract: null };
    expect(adapter.verify(input)).toEqual({ ok: true, secret: bare });
  });
});

describe("the identity", () => {
  const identify = (payload: object, headers = signed) =>
    adapter.identify({ payload: payload as never, header: readHeaders(headers), body, contract: null });

  test("is the signed id, the body's type and the id of its data", () => {
    expect(identify({ type: "invoice.paid", data: { id: 9007199254740993n } })).toMatchObject({
      ok: true,
      identity: {
        eventId: "msg_1",
        type: "invoice.paid",
        account: null,
        mode: "live",
        subject: "9007199254740993",
      },
    });
    expect(identify({ type: "a" }, asSvix(signed))).toMatchObject({
      identity: { eventId: "msg_1", subject: null },
    });
  });

  test.each([{}, { type: 5 }, { type: "" }, { type: "a\u0000" }, []])("needs a type: %j", (payload) => {
    expect(identify(payload)).toEqual({ ok: false, why: "the event has no usable type" });
  });

  test("differs where the body differs in more than its spelling", () => {
    const content = (payload: object) => {
      const identified = identify(payload);
      return identified.ok && identified.identity.content;
    };
    expect(content({ type: "a", data: { x: 1, y: 2 } })).toEqual(
      content({ data: { y: 2, x: 1 }, type: "a" }),
    );
    expect(content({ type: "a", data: { x: 1 } })).not.toEqual(content({ type: "a", data: { x: 2 } }));
  });
});
