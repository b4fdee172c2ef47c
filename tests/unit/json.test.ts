import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText, idText, member, parseJson } from "#lib/json.ts";

const parse = (text: string) => parseJson(Buffer.from(text));
const read = (text: string) => {
  const result = parse(text);
  if (!result.ok) throw new Error(result.why);
  return result.value;
};

describe("parseJson", () => {
  it("agrees with the native parser wherever that loses nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        const result = parse(text);
        const asNumbers = (_: string, item: unknown) => (typeof item === "bigint" ? Number(item) : item);
        expect(result.ok && JSON.stringify(result.value, asNumbers)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it("keeps every integer exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (id) => {
        expect(idText(member(read(`{"id":${id}}`), "id"))).toBe(id.toString());
      }),
    );
    expect(read('{"a":9007199254740993}')).not.toEqual(read('{"a":9007199254740992}'));
  });

  it("never throws, whatever the bytes are", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void parseJson(bytes)));
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789eE.-\\u tfn\n') }),
        (text) => void parse(text),
      ),
    );
  });

  it.each([
    ["an empty body", "", "the body is empty"],
    ["text that is not JSON", "{nope}", "the body is not valid JSON"],
    ["a number beyond any double", '{"x":1e400}', "the body has a number that is absurdly long or large"],
    ["a number beyond numeric", '{"x":1e400000}', "the body has a number that is absurdly long or large"],
    [
      "a number of a thousand digits",
      `{"x":${"9".repeat(1000)}}`,
      "the body has a number that is absurdly long or large",
    ],
    [
      "a twin key",
      '{"id":"a","id":"b"}',
      "the body has the same key twice in one object, with different values",
    ],
    [
      "20,000 nested arrays",
      `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
      "the body is nested deeper than 64 levels",
    ],
  ])("refuses %s with a reason", (_, text, why) => {
    expect(parse(text)).toEqual({ ok: false, why });
  });

  it("refuses bytes that are not UTF-8, and reads past a byte order mark", () => {
    expect(parseJson(Buffer.from([0x22, 0xff, 0x22]))).toEqual({
      ok: false,
      why: "the body is not valid UTF-8",
    });
    expect(parseJson(Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toEqual({ ok: true, value: {} });
  });

  it("keeps a member named __proto__ as a member", () => {
    for (const extra of ["", ',"n":12345678901234567890']) {
      const value = read(`{"__proto__":{"polluted":1}${extra}}`);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(member(value, "polluted")).toBeUndefined();
    }
  });

  it("counts brackets outside strings only", () => {
    expect(parse(JSON.stringify({ text: `${"[{".repeat(100)}\\"` })).ok).toBe(true);
  });
});

describe("idText", () => {
  it.each([" a", "a\u0000b", "", "a\nb", "\ud800", "x".repeat(256)])("refuses %j", (text) => {
    expect(idText(text)).toBeNull();
  });

  it("keeps what is an id to the letter", () => {
    for (const text of ["evt_1", "<img src=x>", "ü-ñ", "a b", "x".repeat(255)])
      expect(idText(text)).toBe(text);
  });
});

it("cleanText leaves nothing that PostgreSQL refuses", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const clean = cleanText(`${text}\u0000\ud800`);
      expect(clean.isWellFormed() && !clean.includes("\u0000")).toBe(true);
    }),
  );
});
