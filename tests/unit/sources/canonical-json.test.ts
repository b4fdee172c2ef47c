import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "#lib/json.ts";
import { canonicalJson, digestJson } from "#lib/sources/canonical-json.ts";

function parse(text: string) {
  const parsed = parseJson(Buffer.from(text));
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.value;
}

test("one text for all spellings of one value", () => {
  const forms = [
    '{"a":1,"b":[true,"é"]}',
    '{ "b": [true, "\\u00e9"],\n "a": 1.0 }',
    '{"b":[true,"\\u00E9"],"a":1e0}',
  ];
  expect(new Set(forms.map((form) => canonicalJson(parse(form)))).size).toBe(1);
});

test.each([
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":null}', "{}"],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"id":9007199254740993}', '{"id":9007199254740992}'],
  ['{"a":"\\ud800"}', '{"a":"\\ud801"}'],
  ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
  ['{"__proto__":1}', "{}"],
  ['{"a":{"b":1}}', '{"a":{},"b":1}'],
])("%s is not %s", (one, other) => {
  expect(digestJson(parse(one))).not.toBe(digestJson(parse(other)));
});

test("parses back to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 5 } as object), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(canonicalJson(JSON.parse(text)))).toEqual(JSON.parse(text));
    }),
  );
});
