import { describe, expect, test } from "vitest";
import { parseContract } from "#lib/sources/contract.ts";
import { paymentsPreset } from "#lib/sources/payments.ts";
import { CONTRACT } from "./arrange.ts";

type Json = Record<string, unknown>;

/** CONTRACT with some members replaced; paths are dotted. */
function withChanges(changes: Json): Json {
  const document = structuredClone(CONTRACT) as Json;
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split(".");
    const last = keys.pop()!;
    const parent = keys.reduce<Json>((at, key) => at[key] as Json, document);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return document;
}

const problemsOf = (changes: Json): string[] => {
  const parsed = parseContract(withChanges(changes));
  return parsed.ok ? [] : parsed.problems;
};

test("a good contract comes out complete, and the same when it is read again", () => {
  const parsed = parseContract(CONTRACT);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  expect(parsed.contract.verification?.signature).toEqual({
    header: "x-test-signature",
    algorithm: "sha256",
    encoding: "hex",
    prefix: "v1=",
    separator: ",",
  });
  expect(parseContract(parsed.contract)).toEqual(parsed);
  expect(parseContract(JSON.parse(JSON.stringify(parsed.contract)))).toEqual(parsed);
});

describe("is refused, with the reason", () => {
  const perEvent = { kind: "per-event", from: { signaturePart: "t=" }, toleranceSeconds: 3600 };
  const header = { kind: "per-attempt", from: { header: "x-test-time" } };
  test.each<[string, Json, RegExp]>([
    ["freshness that nothing signs", { "verification.signedContent": "{id}.{body}" }, /claims freshness/],
    [
      "freshness in an unsigned header",
      { "verification.signedContent": "{id}.{body}", "verification.timestamp": header },
      /claims freshness/,
    ],
    ["a signed time that is nowhere", { "verification.timestamp": { kind: "none" } }, /say where it is/],
    [
      "a time in the body that is signed apart from it",
      { "verification.timestamp": { kind: "per-attempt", from: { path: "sent_at" } } },
      /before it is verified/,
    ],
    ["a tolerance shorter than the retries", { "verification.timestamp": perEvent }, /refused for ever/],
    [
      "a tolerance shorter than the replay window",
      {
        "verification.timestamp": { ...perEvent, toleranceSeconds: 86_400 },
        "delivery.replay": { by: "api", windowHours: 48 },
      },
      /refused for ever/,
    ],
    [
      "per-event without a retry window",
      { "verification.timestamp": perEvent, delivery: null },
      /retryWindowHours/,
    ],
    [
      "a fresh time that may be a day old",
      { "verification.timestamp": { ...header, toleranceSeconds: 86_400 } },
      /is no freshness/,
    ],
    ["no room for two clocks", { "verification.timestamp": { ...header, toleranceSeconds: 5 } }, />=30/],
    [
      "a signature that does not cover the body",
      { "verification.signedContent": "{id}.{timestamp}" },
      /\{body\}/,
    ],
    ["an unknown placeholder", { "verification.signedContent": "{url}.{timestamp}.{id}.{body}" }, /\{url\}/],
    ["a placeholder named twice", { "verification.signedContent": "{id}.{timestamp}.{body}.{id}" }, /twice/],
    [
      "values that run into each other",
      { "verification.signedContent": "{id}{timestamp}.{body}" },
      /separator/,
    ],
    ["a separator of digits", { "verification.signedContent": "{id}0{timestamp}.{body}" }, /letter or digit/],
    ["a single brace", { "verification.signedContent": "{.{id}.{timestamp}.{body}" }, /brace/],
    ["sha1", { "verification.signature.algorithm": "sha1" }, /sha1 and md5 are too weak/],
    ["an unknown algorithm", { "verification.signature.algorithm": "rot13" }, /must be sha256/],
    ["an unknown encoding", { "verification.signature.encoding": "utf8" }, /encoding/],
    [
      "an id that is said to be signed and is not",
      { "verification.signedContent": "{timestamp}.{body}" },
      /claims that the header is signed/,
    ],
    [
      "an id that is said to be unsigned and is not",
      { "event.id": { header: "x-id", signed: false } },
      /claims that the header is unsigned/,
    ],
    ["an id header without a word on signing", { "event.id": { header: "x-id" } }, /event\.id: must be/],
    ["a signed id that is nowhere", { "event.id": { path: "id" } }, /name the header/],
    ["an account from a header", { "event.account": { header: "x-account" } }, /event\.account/],
    [
      "a type from a header without a catalogue",
      { "event.type": { header: "x-type" }, types: {} },
      /not signed/,
    ],
    ["a type from a header that the body cannot show", { "event.type": { header: "x-type" } }, /not signed/],
    [
      "one header for two purposes",
      { "event.id": { header: "X-Test-Signature", signed: true } },
      /two purposes/,
    ],
    ["a time that looks like a signature", { "verification.signature.prefix": "" }, /told apart/],
    [
      "a time in a header that has one part",
      { "verification.signature.separator": null },
      /needs a separator/,
    ],
    ["a prefix that is split", { "verification.signature.prefix": "v,1=" }, /contains the separator/],
    ["a header that is none", { "verification.signature.header": "x y" }, /name of a header/],
    ["a path that is none", { "event.subject": "$..id" }, /event\.subject/],
    ["a path to a prototype", { "event.subject": "__proto__.id" }, /event\.subject/],
    ["one mode for both", { "event.mode": { path: "m", live: ["x"], test: ["x"] } }, /named twice/],
    ["a challenge named twice", { challenges: [{ kind: "head" }, { kind: "head" }] }, /named twice/],
    ["a token in clear", { challenges: [{ kind: "hub-challenge", verifyTokenSha256: "hunter2" }] }, /64/],
    ["no version", { version: undefined }, /version/],
    ["a later version", { version: 2 }, /must be 1/],
    ["unknown members", { surprise: 1 }, /surprise/],
    ["unknown members inside", { "verification.signature.secret": "x" }, /secret/],
    ["no verification", { verification: null }, /verification: is needed/],
    ["no event", { event: null }, /event: is needed/],
    ["a checklist where there is none", { confirmed: ["replay"] }, /no checklist/],
  ])("%s", (_, changes, reason) => {
    expect(problemsOf(changes).join("\n")).toMatch(reason);
  });

  test.each([null, undefined, 1, "x", [], {}, { version: "1" }])("%j instead of a document", (json) => {
    expect(parseContract(json)).toEqual({
      ok: false,
      problems: expect.arrayContaining([expect.any(String)]),
    });
  });
});

test.each<[string, Json]>([
  [
    "a timestamp per event that outlasts the retries",
    {
      "verification.timestamp": {
        kind: "per-event",
        from: { signaturePart: "t=" },
        toleranceSeconds: 86_400,
      },
    },
  ],
  [
    "an id in the body and no time",
    {
      "verification.signedContent": "{body}",
      "verification.timestamp": { kind: "none" },
      "event.id": { path: "id" },
    },
  ],
  [
    "a time in the signed body",
    {
      "verification.signedContent": "{id}:{body}",
      "verification.timestamp": { kind: "per-attempt", from: { path: "sent.at" }, unit: "iso" },
    },
  ],
  [
    "an unsigned type with a catalogue that tells bodies apart",
    { "event.type": { header: "x-type" }, types: { a: { meaning: "A.", requires: ["a.id"] } } },
  ],
  [
    "text around the values",
    { "verification.signedContent": "v0:{timestamp}:https://example.test/{id}:\n{body}" },
  ],
])("is accepted with %s", (_, changes) => {
  expect(problemsOf(changes)).toEqual([]);
});

describe("over a preset", () => {
  const parse = (json: unknown) => parseContract(json, { preset: paymentsPreset });

  test("what the document leaves out comes from the preset", () => {
    const parsed = parse({
      version: 1,
      verification: { signature: { header: "X-Own", encoding: "base64" } },
    });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    expect(parsed.contract).toEqual({
      ...paymentsPreset,
      verification: {
        ...paymentsPreset.verification,
        signature: { ...paymentsPreset.verification!.signature, header: "x-own", encoding: "base64" },
      },
    });
  });

  test("a choice replaces the preset's choice whole", () => {
    const parsed = parse({ event: { id: { header: "x-id", signed: false } } });
    expect(parsed.ok && parsed.contract.event?.id).toEqual({ header: "x-id", signed: false });
  });

  test("it is judged as a whole", () => {
    const parsed = parse({ verification: { signedContent: "{body}" } });
    expect(parsed).toEqual({ ok: false, problems: [expect.stringMatching(/claims freshness/)] });
  });

  test("a document that names prototypes changes none", () => {
    const parsed = parse(JSON.parse('{"__proto__":{"polluted":1},"event":{"__proto__":{"polluted":1}}}'));
    expect(parsed.ok).toBe(false);
    expect(({} as Json).polluted).toBeUndefined();
  });
});
