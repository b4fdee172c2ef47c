import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SOURCE_KINDS } from "#db/states.ts";
import { adapterOf, adapters } from "#lib/sources/index.ts";
import type { SourceAdapter, Verification } from "#lib/sources/types.ts";
import { contractFor, later, NOW, OTHER_SECRET, readHeaders, SECRET, SECRETS } from "./arrange.ts";

/** Kinds that sign no time; and headers that no signature covers. Whoever adds a sender like that says so here. */
const TIMELESS = new Set<string>(["github"]);
const UNSIGNED_HEADERS = new Set(["x-github-delivery", "x-github-event"]);
const TOLERANCE = 300;
const RUNS = 60;

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

const AWKWARD_BODIES = {
  "a byte order mark": Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
  "invalid UTF-8": Buffer.from([0x22, 0xff, 0x22]),
  "a NUL": Buffer.from('{"a":"\0"}'),
  nothing: Buffer.alloc(0),
};

const MALFORMED = [
  "",
  " ",
  ",",
  "=",
  "t=",
  "v1=",
  "v1,",
  "sha256=",
  "sha256=abc",
  `sha256=${"g".repeat(64)}`,
  `sha256=${"a".repeat(63)}\u00e9`,
  `sha1=${"a".repeat(40)}`,
  `t=1,v0=${"a".repeat(64)}`,
  `t=1,t=2,v1=${"a".repeat(64)}`,
  "v1a,AAAA v2,AAAA",
  "-1",
  "0",
  "1e9",
  "NaN",
  "Infinity",
  "99999999999999999999",
  "0x10",
  "null",
  "undefined",
  "__proto__",
  "\u0000",
  "\ud800",
  "a".repeat(20_000),
  ",".repeat(10_000),
];

test("every kind that can be sent to has an adapter, under its own name", () => {
  expect(adapters.map(({ kind }) => kind).sort()).toEqual(
    SOURCE_KINDS.filter((kind) => kind !== "manual").sort(),
  );
  for (const kind of SOURCE_KINDS) expect(adapterOf(kind)?.kind).toBe(kind === "manual" ? undefined : kind);
});

describe.each(adapters.map((adapter) => [adapter.kind, adapter] as const))("%s", (kind, adapter) => {
  const contract = contractFor(adapter);
  const sign = (body: Buffer, secret = SECRET, now = NOW) => adapter.sign({ body, secret, now, contract });
  const verify = (
    body: Buffer,
    headers: Record<string, string>,
    secrets = [SECRET],
    now = NOW,
  ): Verification => adapter.verify({ body, header: readHeaders(headers), secrets, now, contract });

  test("accepts what it signed, whatever the bytes", () => {
    fc.assert(
      fc.property(bytes, (body) => {
        expect(verify(body, sign(body))).toEqual({ ok: true, secret: SECRET });
      }),
      { numRuns: RUNS },
    );
  });

  test.each(Object.entries(AWKWARD_BODIES))(
    "accepts a body that has %s, and nothing that decodes alike",
    (_, body) => {
      expect(verify(body, sign(body)).ok).toBe(true);
      const decoded = Buffer.from(new TextDecoder().decode(body));
      if (!decoded.equals(body)) expect(verify(decoded, sign(body)).ok).toBe(false);
    },
  );

  test("refuses a body in which one bit is changed", () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (body, at) => {
        fc.pre(body.length > 0);
        const changed = Buffer.from(body);
        changed[at % body.length]! ^= 1 << (at % 8);
        expect(verify(changed, sign(body))).toMatchObject({ ok: false, reason: "signature_mismatch" });
      }),
      { numRuns: RUNS },
    );
  });

  test("refuses a body that is longer or shorter than the signed one", () => {
    const body = Buffer.from('{"id":1}');
    for (const other of [Buffer.from('{"id":1} '), Buffer.from('{"id":1'), Buffer.alloc(0)]) {
      expect(verify(other, sign(body)).ok).toBe(false);
    }
  });

  test("refuses a signed header in which one bit is changed: signature, timestamp, id", () => {
    const body = Buffer.from('{"id":1}');
    const headers = sign(body);
    for (const [name, value] of Object.entries(headers)) {
      if (UNSIGNED_HEADERS.has(name)) continue;
      for (let at = 0; at < value.length; at++) {
        for (let bit = 0; bit < 7; bit++) {
          const flipped = String.fromCharCode(value.charCodeAt(at) ^ (1 << bit));
          const changed = value.slice(0, at) + flipped + value.slice(at + 1);
          const verification = verify(body, { ...headers, [name]: changed });
          expect(verification.ok, `${name}: ${JSON.stringify(changed)}`).toBe(false);
        }
      }
    }
  });

  test("turns every malformed header into a plain refusal", () => {
    const body = Buffer.from("{}");
    const headers = sign(body);
    const names = Object.keys(headers).filter((name) => !UNSIGNED_HEADERS.has(name));
    const check = (name: string, value: string) => {
      const verification = verify(body, { ...headers, [name]: value });
      expect(verification.ok, `${name}: ${JSON.stringify(value.slice(0, 80))}`).toBe(false);
    };
    for (const name of names) for (const value of MALFORMED) check(name, value);
    fc.assert(fc.property(fc.constantFrom(...names), fc.string({ unit: "binary", maxLength: 90 }), check), {
      numRuns: 300,
    });
  });

  test("refuses a request without any one of its signed headers", () => {
    const body = Buffer.from("{}");
    for (const name of Object.keys(sign(body))) {
      if (UNSIGNED_HEADERS.has(name)) continue;
      const headers = sign(body);
      delete headers[name];
      expect(verify(body, headers).ok).toBe(false);
    }
    expect(verify(body, {})).toMatchObject({ ok: false, reason: "signature_missing" });
  });

  test("refuses a header that was sent twice", () => {
    const body = Buffer.from("{}");
    const headers = sign(body);
    for (const [name, value] of Object.entries(headers)) {
      if (UNSIGNED_HEADERS.has(name) || value.includes(",")) continue;
      expect(verify(body, { ...headers, [name]: `${value}, ${value}` }).ok, name).toBe(false);
    }
  });

  test("refuses a wrong secret, and says which of several was right", () => {
    const body = Buffer.from('{"a":1}');
    expect(verify(body, sign(body, OTHER_SECRET))).toMatchObject({ ok: false, reason: "signature_mismatch" });
    for (const secret of SECRETS) {
      expect(verify(body, sign(body, secret), [...SECRETS])).toEqual({ ok: true, secret });
    }
  });

  test("never verifies under an empty or damaged secret", () => {
    const body = Buffer.from("{}");
    for (const text of ["", "whsec_", "whsec_!!!!"]) {
      const secret = { text, fingerprint: "damaged" };
      const headers = { ...sign(body) };
      expect(verify(body, headers, [secret]).ok).toBe(false);
      expect(adapter.checkSecret(text, contract)).toEqual(expect.any(String));
      expect(verify(body, headers, [secret, SECRET])).toEqual({ ok: true, secret: SECRET });
    }
    expect(verify(body, sign(body), []).ok).toBe(false);
  });

  test("accepts only usable secrets", () => {
    for (const text of ["", "   ", "short", "x", "aaaaaaaaaaaaaaaaaaaaaaaa", "your-webhook-signing-secret"]) {
      expect(adapter.checkSecret(text, contract), text).toEqual(expect.any(String));
    }
    for (const { text } of SECRETS) expect(adapter.checkSecret(text, contract)).toBeNull();
  });

  test("refuses a body that was parsed and written again", () => {
    const sent = '{"amount": 10.0, "note":"caf\\u00e9"}';
    for (const text of [sent, `\n${sent}`, '{"note":"caf\\u00e9","amount":10.0}', '{\n  "amount": 10.0\n}']) {
      const body = Buffer.from(text);
      expect(verify(body, sign(body)).ok).toBe(true);
      expect(verify(Buffer.from(JSON.stringify(JSON.parse(text))), sign(body)).ok).toBe(false);
    }
  });

  test.runIf(!TIMELESS.has(kind))(
    "accepts a timestamp up to the tolerance, both ways, and tells the skew",
    () => {
      const body = Buffer.from("{}");
      const at = (skew: number) => verify(body, sign(body), [SECRET], later(skew));
      for (const skew of [0, 2, -2, TOLERANCE, -TOLERANCE]) expect(at(skew).ok, `${skew} s`).toBe(true);
      // The second in which it becomes too old is not over yet.
      expect(at(TOLERANCE + 0.999).ok).toBe(true);
      for (const skew of [TOLERANCE + 1, -TOLERANCE - 1, 3600, -3600]) {
        expect(at(skew)).toEqual({ ok: false, reason: "timestamp_stale", detail: `skew ${skew} s` });
      }
    },
  );

  test.runIf(TIMELESS.has(kind))(
    "says that its event ids are unsigned, since nothing else guards against replay",
    () => {
      expect(adapter.idIsUnsigned).toBe(true);
      const body = Buffer.from("{}");
      expect(verify(body, sign(body), [SECRET], later(1e9)).ok).toBe(true);
    },
  );

  test("identifies anything that parses without throwing, and with no id that a key cannot hold", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: "binary" }), (payload, id) => {
        const header = readHeaders({
          ...sign(Buffer.from("{}")),
          "x-github-event": "issues",
          "x-test-id": id,
        });
        checkIdentification(adapter, {
          payload: payload as never,
          header,
          body: Buffer.from("{}"),
          contract,
        });
      }),
      { numRuns: RUNS * 3 },
    );
  });

  test("reads nothing from a prototype", () => {
    const header = readHeaders({
      "x-github-delivery": "d",
      "x-github-event": "constructor",
      "webhook-id": "m",
    });
    for (const text of [
      '{"__proto__":{"id":"x","type":"t","eventId":"x"}}',
      '{"constructor":{"id":1}}',
      "[]",
      "{}",
    ]) {
      const input = { payload: JSON.parse(text), header, body: Buffer.from(text), contract };
      const identified = adapter.identify(input);
      expect(identified.ok && identified.identity.type !== "constructor").toBe(false);
    }
  });
});

function checkIdentification(adapter: SourceAdapter, input: Parameters<SourceAdapter["identify"]>[0]) {
  const identified = adapter.identify(input);
  if (!identified.ok) {
    expect(identified.why).toMatch(/^[a-zA-Z].{5,}/);
    return;
  }
  const { eventId, type, account, subject } = identified.identity;
  for (const text of [eventId, type, account ?? "own", subject ?? "none"]) {
    expect(text).toMatch(/^[^\p{Cc}\p{Cs}]{1,600}$/u);
  }
  expect(account ?? "").not.toContain("~");
}
