import { describe, expect, test } from "vitest";
import { parseJson } from "#lib/json.ts";
import { CONTRACT, readHeaders, useAdapter } from "./arrange.ts";

const hmac = useAdapter("hmac");

const EVENT = { id: { path: "id" }, type: { path: "type" } };
const UNTIMED = { signature: { header: "x-sig" }, signedContent: "{body}" };

function identify(event: object, text: string, headers: Record<string, string> = {}, others: object = {}) {
  const document = { ...CONTRACT, verification: UNTIMED, event: { ...EVENT, ...event }, ...others };
  const checked = hmac.checkContract!(document);
  if (!checked.ok) throw new Error(checked.problems.join());
  const parsed = parseJson(Buffer.from(text));
  if (!parsed.ok) throw new Error(parsed.why);
  const header = readHeaders(headers);
  return hmac.identify({
    payload: parsed.value,
    header,
    body: Buffer.from(text),
    contract: checked.contract,
  });
}

const identity = (...args: Parameters<typeof identify>) => {
  const identified = identify(...args);
  if (!identified.ok) throw new Error(identified.why);
  return identified.identity;
};

test("ids keep the digits that were sent", () => {
  const event = { account: { path: "merchant" }, subject: "transaction" };
  const text =
    '{"id":9007199254740993,"type":"a","merchant":9007199254740995,"transaction":9007199254740997}';
  expect(identity(event, text)).toMatchObject({
    eventId: "9007199254740993",
    account: "9007199254740995",
    subject: "9007199254740997",
  });
});

test.each([
  '{"type":"a"}',
  '{"id":"","type":"a"}',
  '{"id":null,"type":"a"}',
  '{"id":1.5,"type":"a"}',
  '{"id":{"a":1},"type":"a"}',
  '{"id":"a\\u0000","type":"a"}',
  '{"id":"\\ud800","type":"a"}',
  '{"id":"e"}',
  '{"id":"e","type":7}',
  "[]",
  '"text"',
  "null",
])("%s has no usable id or type", (text) => {
  expect(identify({}, text)).toMatchObject({ ok: false, why: expect.stringMatching(/no usable (id|type)/) });
});

test("the first path that leads to a value counts", () => {
  const event = { id: { path: ["eventId", "event.id"] } };
  expect(identity(event, '{"event":{"id":"b"},"type":"a"}').eventId).toBe("b");
  expect(identity(event, '{"eventId":"a","event":{"id":"b"},"type":"a"}').eventId).toBe("a");
  expect(identity(event, '{"eventId":null,"event":{"id":"b"},"type":"a"}').eventId).toBe("b");
});

describe("the account", () => {
  test("that is missing is the source's own, unless it is required", () => {
    const text = '{"id":"e","type":"a"}';
    expect(identity({ account: { path: "merchant" } }, text).account).toBeNull();
    const why = "the event names no account";
    expect(identify({ account: { path: "merchant", required: true } }, text)).toEqual({ ok: false, why });
  });

  test.each(['"m~test"', "{}", "true", '""', "1.5"])("is not %s", (account) => {
    const identified = identify(
      { account: { path: "merchant" } },
      `{"id":"e","type":"a","merchant":${account}}`,
    );
    expect(identified).toEqual({ ok: false, why: "the account id is not usable" });
  });
});

test("the mode is one of the values named, and never guessed", () => {
  const event = { mode: { path: "live", live: ["true"], test: ["false", "sandbox"] } };
  const mode = (value: string) => identify(event, `{"id":"e","type":"a"${value}}`);
  expect(mode(',"live":true')).toMatchObject({ identity: { mode: "live" } });
  expect(mode(',"live":false')).toMatchObject({ identity: { mode: "test" } });
  expect(mode(',"live":"sandbox"')).toMatchObject({ identity: { mode: "test" } });
  for (const value of ["", ',"live":null', ',"live":"yes"', ',"live":{}']) {
    expect(mode(value)).toEqual({ ok: false, why: "the event does not say whether it is live or test" });
  }
});

describe("ids and types in unsigned headers", () => {
  const event = { id: { header: "X-Id", signed: false }, type: { header: "X-Type" } };
  const types = {
    made: { meaning: "Made.", requires: ["made.id"] },
    gone: { meaning: "Gone.", requires: ["gone"] },
  };
  const read = (headers: Record<string, string>) => identify(event, '{"made":{"id":1}}', headers, { types });

  test("are taken where the signed body bears them out, and marked", () => {
    expect(read({ "x-id": "1", "x-type": "made" })).toMatchObject({
      ok: true,
      identity: { eventId: "1", type: "made", idIsUnsigned: true },
    });
  });

  test.each([
    [{ "x-id": "1", "x-type": "gone" }, "the body does not have what its type requires"],
    [{ "x-id": "1", "x-type": "other" }, "the type is not in the catalogue"],
    [{ "x-id": "1", "x-type": "toString" }, "the type is not in the catalogue"],
    [{ "x-id": "1" }, "the event has no usable type"],
    [{ "x-type": "made" }, "the event has no usable id"],
    [{ "x-id": "1, 2", "x-type": "made" }, "the event has no usable id"],
  ])("are refused otherwise: %j", (headers, why) => {
    expect(read(headers as Record<string, string>)).toEqual({ ok: false, why });
  });

  test("are not marked where they are signed or in the body", () => {
    expect(identity({}, '{"id":"e","type":"a"}').idIsUnsigned).toBeUndefined();
    const verification = { ...UNTIMED, signedContent: "{id}.{body}" };
    const signed = identity(
      { id: { header: "x-id", signed: true } },
      '{"type":"a"}',
      { "x-id": "e" },
      { verification },
    );
    expect(signed.eventId).toBe("e");
    expect(signed.idIsUnsigned).toBeUndefined();
  });
});

describe("content that must agree", () => {
  const content = (text: string, identityPaths?: unknown[]) => identity({ identityPaths }, text).content;

  test("is what the identity paths name", () => {
    const paths = ["amount", ["currency", "money.currency"]];
    const first = content('{"id":"e","type":"a","amount":10.0,"currency":"EUR","attempt":1}', paths);
    expect(
      content('{"id":"e","type":"a","amount":10,"money":{"currency":"EUR"},"attempt":2}', paths),
    ).toEqual(first);
    expect(content('{"id":"e","type":"a","amount":11,"currency":"EUR"}', paths)).not.toEqual(first);
    expect(content('{"id":"e","type":"a","amount":"10","currency":"EUR"}', paths)).not.toEqual(first);
    expect(content('{"id":"e","type":"b","amount":10,"currency":"EUR"}', paths)).not.toEqual(first);
    expect(content('{"id":"e","type":"a","currency":"EUR"}', paths)).not.toEqual(first);
  });

  test("is the whole body in canonical form without them", () => {
    const first = content('{"id":"e","type":"a","x":[1,{"b":2,"a":1}]}');
    expect(content('{"x":[1,{"a":1,"b":2}],"type":"a","id":"e"}')).toEqual(first);
    expect(content('{"id":"e","type":"a","x":[1,{"b":2,"a":2}]}')).not.toEqual(first);
  });
});
