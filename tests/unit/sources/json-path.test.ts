import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "#lib/json.ts";
import { parseJsonPath, readJsonPath } from "#lib/sources/json-path.ts";

function read(value: JsonValue, text: string): JsonValue | undefined {
  const parsed = parseJsonPath(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return readJsonPath(value, parsed.path);
}

test.each([
  ["id", 1],
  ["data.object.id", "in_9"],
  ["items[1].id", "b"],
  ['["odd name"].x', 2],
  ['data["dotted.name"]', 3],
  ['["say \\"hi\\""]', 4],
  ["with-dash", 5],
  ["missing", undefined],
  ["items[9]", undefined],
  ["items.length", undefined],
  ["id.toString", undefined],
  ["text.length", undefined],
  ["text[0]", undefined],
  ["data[0]", undefined],
  ["constructor.name", undefined],
  ["hasOwnProperty", undefined],
  ["nothing.more", undefined],
])("%s leads to %j", (path, expected) => {
  const value = {
    id: 1,
    data: { object: { id: "in_9" }, "dotted.name": 3 },
    items: [{ id: "a" }, { id: "b" }],
    "odd name": { x: 2 },
    'say "hi"': 4,
    "with-dash": 5,
    text: "abc",
    nothing: null,
  };
  expect(read(value, path)).toEqual(expected);
});

describe("refuses", () => {
  test.each([
    "",
    ".",
    ".id",
    "id.",
    "a..b",
    "$.id",
    "$",
    "a b",
    "a[*]",
    "a[-1]",
    "a[01]",
    "a[]",
    "a['x']",
    'a["x',
    'a["\\n"]',
    "a[0]b",
    "a[?(@.b)]",
    "..id",
    "a[99999999]",
    "__proto__",
    "a.__proto__.b",
    '["__proto__"]',
    "a".repeat(300),
    "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q",
  ])("%j", (path) => {
    expect(parseJsonPath(path)).toEqual({ ok: false, why: expect.any(String) });
  });
});

test("finds any value under any names, written quoted", () => {
  const name = fc
    .string({ unit: "grapheme" })
    .filter((text) => text !== "__proto__" && !/[\p{Cc}]/u.test(text));
  fc.assert(
    fc.property(fc.array(fc.oneof(name, fc.nat({ max: 5 })), { minLength: 1, maxLength: 8 }), (steps) => {
      const text = steps
        .map((step) => (typeof step === "number" ? `[${step}]` : `["${step.replace(/["\\]/g, "\\$&")}"]`))
        .join("");
      fc.pre(text.length <= 256);
      const value = steps.reduceRight<JsonValue>((inner, step) => {
        return typeof step === "number" ? [...Array(step).fill(null), inner] : { [step]: inner };
      }, "found");
      expect(read(value, text)).toBe("found");
    }),
  );
});

test("never throws and never finds what is not in the document", () => {
  const words = fc.constantFrom(
    "a",
    "constructor",
    "toString",
    "__proto__",
    "prototype",
    "length",
    ".",
    "[0]",
    '["a"]',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 6 }), fc.jsonValue(), (parts, value) => {
      const parsed = parseJsonPath(parts.join(""));
      if (!parsed.ok) return;
      const found = readJsonPath(value as JsonValue, parsed.path);
      if (found !== undefined) expect(JSON.stringify(value)).toContain(JSON.stringify(found));
    }),
  );
});

test("reads digits beyond 2^53 as they were sent", () => {
  expect(read({ id: 9007199254740993n }, "id")).toBe(9007199254740993n);
});
