import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CONTRACT, later, NOW, readHeaders, SECRET, useAdapter } from "./arrange.ts";

const hmac = useAdapter("hmac");
const SECONDS = Math.floor(NOW.getTime() / 1000);

type Verification = Record<string, unknown>;

/** A contract with this verification, and with the event id in the body unless the signed content names one. */
function contractWith(verification: Verification, others: object = {}): unknown {
  const signsId = String(verification.signedContent).includes("{id}");
  const id = signsId ? { header: "x-id", signed: true } : { path: "id" };
  const checked = hmac.checkContract!({
    ...CONTRACT,
    event: { id, type: { path: "type" } },
    verification,
    ...others,
  });
  if (!checked.ok) throw new Error(checked.problems.join());
  return checked.contract;
}

function verify(
  contract: unknown,
  body: string,
  headers: Record<string, string>,
  now = NOW,
  text = SECRET.text,
) {
  const secrets = [{ text, fingerprint: "s" }];
  return hmac.verify({ body: Buffer.from(body), header: readHeaders(headers), secrets, now, contract });
}

const mac = (text: string, key: string | Buffer = SECRET.text, algorithm = "sha256") =>
  createHmac(algorithm, key).update(text);
const BODY = '{"id":"e1","type":"a"}';

describe("signs and verifies as these senders do", () => {
  test("GitHub and Meta: prefix, hex, body alone", () => {
    const contract = contractWith({ signature: { header: "X-Hub-Signature-256", prefix: "sha256=" } });
    const headers = { "x-hub-signature-256": `sha256=${mac(BODY).digest("hex")}` };
    expect(verify(contract, BODY, headers).ok).toBe(true);
  });

  test("Shopify: base64, body alone", () => {
    const contract = contractWith({ signature: { header: "X-Shopify-Hmac-Sha256", encoding: "base64" } });
    expect(verify(contract, BODY, { "x-shopify-hmac-sha256": mac(BODY).digest("base64") }).ok).toBe(true);
  });

  test("Slack: version and time before the body", () => {
    const contract = contractWith({
      signature: { header: "X-Slack-Signature", prefix: "v0=" },
      signedContent: "v0:{timestamp}:{body}",
      timestamp: { kind: "per-attempt", from: { header: "X-Slack-Request-Timestamp" } },
    });
    const headers = {
      "x-slack-request-timestamp": String(SECONDS),
      "x-slack-signature": `v0=${mac(`v0:${SECONDS}:${BODY}`).digest("hex")}`,
    };
    expect(verify(contract, BODY, headers).ok).toBe(true);
    expect(verify(contract, BODY, { ...headers, "x-slack-request-timestamp": String(SECONDS + 1) }).ok).toBe(
      false,
    );
  });

  test("Stripe: time and signatures in one header", () => {
    const contract = contractWith({
      signature: { header: "Stripe-Signature", prefix: "v1=", separator: "," },
      signedContent: "{timestamp}.{body}",
      timestamp: { kind: "per-attempt", from: { signaturePart: "t=" } },
    });
    const right = mac(`${SECONDS}.${BODY}`).digest("hex");
    const wrong = "a".repeat(64);
    const check = (header: string) => verify(contract, BODY, { "stripe-signature": header }).ok;
    expect(check(`t=${SECONDS},v1=${right}`)).toBe(true);
    expect(check(`t=${SECONDS}, v1=${wrong} , v1=${right},v0=zz`)).toBe(true);
    expect(check(`v1=${right},t=${SECONDS}`)).toBe(true);
    expect(check(`t=${SECONDS},v0=${right}`)).toBe(false);
    expect(check(`t=${SECONDS},v1=`)).toBe(false);
    expect(check(`t=${SECONDS},t=${SECONDS + 1},v1=${right}`)).toBe(false);
    expect(check(`v1=${right}`)).toBe(false);
  });

  test("Standard Webhooks: id, time and body, key in base64", () => {
    const contract = contractWith({
      signature: { header: "webhook-signature", prefix: "v1,", separator: " ", encoding: "base64" },
      secret: { encoding: "base64", prefix: "whsec_" },
      signedContent: "{id}.{timestamp}.{body}",
      timestamp: { kind: "per-attempt", from: { header: "webhook-timestamp" } },
    });
    const body = Buffer.from(BODY);
    const sender = useAdapter("standard-webhooks");
    const headers = sender.sign({ body, secret: SECRET, now: NOW, contract: null, id: "e1" });
    expect(verify(contract, BODY, { ...headers, "x-id": "e1" }).ok).toBe(true);
    expect(verify(contract, BODY, { ...headers, "x-id": "e2" }).ok).toBe(false);
    expect(hmac.checkSecret(SECRET.text, contract)).toBeNull();
    expect(hmac.checkSecret("whsec_####", contract)).toBe("the secret is not valid base64");
    expect(hmac.checkSecret("whsec_c2hvcnQ=", contract)).toBe("the secret must have at least 16 bytes");
  });

  test("sha512, hex in capitals, and a secret in hex", () => {
    const key = Buffer.alloc(20, 7);
    const contract = contractWith({
      signature: { header: "x-sig", algorithm: "sha512" },
      secret: { encoding: "hex" },
    });
    const hex = mac(BODY, key, "sha512").digest("hex");
    const check = (value: string) => verify(contract, BODY, { "x-sig": value }, NOW, key.toString("hex")).ok;
    expect(check(hex)).toBe(true);
    expect(check(hex.toUpperCase())).toBe(true);
    expect(check(hex.slice(0, 64).toUpperCase() + hex.slice(64))).toBe(false);
    expect(check(mac(BODY, key).digest("hex"))).toBe(false);
  });
});

describe("the freshness of", () => {
  const base = { signature: { header: "x-sig" }, signedContent: "{body}" };
  const at = (contract: unknown, body: string, skew: number) =>
    verify(contract, body, { "x-sig": mac(body).digest("hex") }, later(skew));

  test.each([
    ["s", `{"sent":${SECONDS}}`],
    ["s", `{"sent":"${SECONDS}"}`],
    ["ms", `{"sent":${NOW.getTime()}}`],
    ["iso", `{"sent":"${NOW.toISOString()}"}`],
    ["iso", '{"sent":"2026-03-03T11:00:00+01:00"}'],
  ])("a time inside the body, in %s: %s", (unit, body) => {
    const contract = contractWith({
      ...base,
      timestamp: { kind: "per-attempt", from: { path: "sent" }, unit },
    });
    for (const skew of [0, 300, -300]) expect(at(contract, body, skew).ok).toBe(true);
    for (const skew of [301, -301]) {
      expect(at(contract, body, skew)).toEqual({
        ok: false,
        reason: "timestamp_stale",
        detail: `skew ${skew} s`,
      });
    }
  });

  test.each(["{}", "not JSON", '{"sent":null}', '{"sent":"soon"}', '{"sent":-5}', '{"sent":1e300}', "[]"])(
    "a body without a readable time is not shown: %s",
    (body) => {
      const contract = contractWith({ ...base, timestamp: { kind: "per-attempt", from: { path: "sent" } } });
      expect(at(contract, body, 0)).toMatchObject({ ok: false, reason: "timestamp_stale" });
    },
  );

  test("a time per event lasts as long as the sender retries", () => {
    const hours = 72;
    const contract = contractWith(
      {
        ...base,
        signedContent: "{timestamp}.{body}",
        timestamp: { kind: "per-event", from: { header: "x-time" }, toleranceSeconds: hours * 3600 },
      },
      { delivery: { timeoutSeconds: 5, retryWindowHours: hours, replay: { by: "none" } } },
    );
    const headers = { "x-time": String(SECONDS), "x-sig": mac(`${SECONDS}.${BODY}`).digest("hex") };
    expect(verify(contract, BODY, headers, later(hours * 3600)).ok).toBe(true);
    expect(verify(contract, BODY, headers, later(hours * 3600 + 1))).toMatchObject({
      reason: "timestamp_stale",
    });
  });

  test("a time in a header has one spelling", () => {
    const contract = contractWith({
      ...base,
      signedContent: "{timestamp}.{body}",
      timestamp: { kind: "per-attempt", from: { header: "x-time" } },
    });
    for (const time of [
      `0${SECONDS}`,
      `${SECONDS}.0`,
      ` ${SECONDS}`,
      `+${SECONDS}`,
      "",
      `${SECONDS}, ${SECONDS}`,
    ]) {
      const headers = { "x-time": time, "x-sig": mac(`${time}.${BODY}`).digest("hex") };
      const verification = verify(contract, BODY, headers);
      expect(verification, time).toMatchObject({ ok: false, reason: "signature_malformed" });
    }
  });
});

test.each(["a, b", "a b", "a{b", "é", "", "a".repeat(300)])(
  "an id that is %j is none, although it was signed",
  (id) => {
    const contract = contractWith({ signature: { header: "x-sig" }, signedContent: "{id}.{body}" });
    const headers = { "x-id": id, "x-sig": mac(`${id}.${BODY}`).digest("hex") };
    expect(verify(contract, BODY, headers)).toMatchObject({ ok: false, reason: "signature_malformed" });
  },
);

test("a signature of another length is malformed", () => {
  const contract = contractWith({ signature: { header: "x-sig" } });
  for (const algorithm of ["sha1", "sha512"]) {
    const headers = { "x-sig": mac(BODY, SECRET.text, algorithm).digest("hex") };
    expect(verify(contract, BODY, headers)).toEqual({ ok: false, reason: "signature_malformed" });
  }
});

test("without a usable contract nothing verifies, nothing is identified and nothing is signed", () => {
  for (const contract of [null, {}, { ...CONTRACT, version: 9 }, "x", 5]) {
    expect(hmac.readiness!(contract)).toMatchObject({ state: "unconfigured" });
    expect(verify(contract, BODY, { "x-test-signature": "a" })).toMatchObject({ ok: false });
    const input = { payload: {}, header: readHeaders({}), body: Buffer.from("{}"), contract };
    expect(hmac.identify(input)).toMatchObject({ ok: false });
    const signing = { body: Buffer.from("{}"), secret: SECRET, now: NOW, contract };
    expect(() => hmac.sign(signing)).toThrow("not configured");
  }
});

test("a stored document is judged anew: an unsafe one in the database verifies nothing", () => {
  const verification = { signature: { header: "x-sig" }, signedContent: "constant" };
  const unsafe = { ...CONTRACT, event: { id: { path: "id" }, type: { path: "type" } }, verification };
  const headers = { "x-sig": mac("constant").digest("hex") };
  expect(verify(unsafe, BODY, headers)).toMatchObject({ ok: false });
});
