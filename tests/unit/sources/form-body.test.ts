import fc from "fast-check";
import { expect, test } from "vitest";
import { readFormField, readMediaType } from "#lib/sources/form-body.ts";

test.each([
  ["application/json", "application/json"],
  ["Application/JSON; charset=utf-8", "application/json"],
  [" APPLICATION/X-WWW-FORM-URLENCODED ;x", "application/x-www-form-urlencoded"],
  ["", null],
  [";", null],
  [null, null],
])("%j has the media type %j", (header, type) => {
  expect(readMediaType(header)).toBe(type);
});

test("reads what URLSearchParams wrote, beside other fields", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (value, other) => {
      const body = Buffer.from(new URLSearchParams({ other, payload: value }).toString());
      expect(readFormField(body, "payload")).toEqual({ ok: true, value: Buffer.from(value) });
    }),
  );
});

test("keeps bytes that are not valid UTF-8", () => {
  expect(readFormField(Buffer.from("payload=%22%FF%22"), "payload")).toEqual({
    ok: true,
    value: Buffer.from([0x22, 0xff, 0x22]),
  });
});

test("keeps bytes that nobody escaped", () => {
  const value = Buffer.from([0xc3, 0xa9, 0xff]);
  const body = Buffer.concat([Buffer.from("payload="), value]);
  expect(readFormField(body, "payload")).toEqual({ ok: true, value });
});

test.each(["", "other=1", "payload=1&payload=2", "payload=1&p%61yload=2", "PAYLOAD=1"])(
  "refuses %j",
  (body) => {
    expect(readFormField(Buffer.from(body), "payload").ok).toBe(false);
  },
);

test.each([
  ["payload", ""],
  ["payload=", ""],
  ["payload=a=b", "a=b"],
  ["payload=%", "%"],
  ["payload=%zz+%2", "%zz %2"],
])("%j holds %j", (body, value) => {
  expect(readFormField(Buffer.from(body), "payload")).toEqual({ ok: true, value: Buffer.from(value) });
});
