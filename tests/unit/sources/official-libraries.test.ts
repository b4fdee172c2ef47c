import { randomBytes } from "node:crypto";
import { sign as signGithub, verify as verifyGithub } from "@octokit/webhooks-methods";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { expect, test } from "vitest";
import type { SourceAdapter } from "#lib/sources/types.ts";
import { NOW, readHeaders, SECRET, useAdapter } from "./arrange.ts";

const EVENTS = 1000;

/** Bodies of all sizes, with text that takes more than one byte a character. */
const makeBody = (n: number) =>
  JSON.stringify({ id: `evt_${n}`, type: "thing.made", text: "é€😀".repeat(n % 50), data: { id: n } });

type Signed = { body: string; headers: Record<string, string> };

function expectAcceptance(adapter: SourceAdapter, { body, headers }: Signed, now = NOW): void {
  const verify = (bytes: Buffer) =>
    adapter.verify({ body: bytes, header: readHeaders(headers), secrets: [SECRET], now, contract: null });
  const bytes = Buffer.from(body);
  expect(verify(bytes)).toEqual({ ok: true, secret: SECRET });
  const [at, bit] = randomBytes(2);
  bytes[at! % bytes.length]! ^= 1 << (bit! % 8);
  expect(verify(bytes)).toEqual({ ok: false, reason: "signature_mismatch" });
}

test("a thousand events signed by @octokit/webhooks-methods are accepted, and not with one bit changed", async () => {
  for (let n = 0; n < EVENTS; n++) {
    const body = makeBody(n);
    const headers = { "x-hub-signature-256": await signGithub(SECRET.text, body) };
    expectAcceptance(useAdapter("github"), { body, headers });
  }
});

test("a thousand events signed by standardwebhooks are accepted, and not with one bit changed", () => {
  const official = new Webhook(SECRET.text);
  for (let n = 0; n < EVENTS; n++) {
    const body = makeBody(n);
    const family = n % 2 === 0 ? "webhook" : "svix";
    const headers = {
      [`${family}-id`]: `msg_${n}`,
      [`${family}-timestamp`]: String(Math.floor(NOW.getTime() / 1000)),
      [`${family}-signature`]: official.sign(`msg_${n}`, NOW, body),
    };
    expectAcceptance(useAdapter("standard-webhooks"), { body, headers });
  }
});

test("a thousand events signed by stripe are accepted, and not with one bit changed", () => {
  for (let n = 0; n < EVENTS; n++) {
    const body = makeBody(n);
    const timestamp = Math.floor(NOW.getTime() / 1000);
    const options = { payload: body, secret: SECRET.text, timestamp };
    const header = Stripe.webhooks.generateTestHeaderString(options as Stripe.WebhookTestHeaderOptions);
    expectAcceptance(useAdapter("stripe"), { body, headers: { "stripe-signature": header } });
  }
});

test("what github signs, the official library verifies, for every text", async () => {
  const github = useAdapter("github");
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1 }), async (body) => {
      const headers = github.sign({ body: Buffer.from(body), secret: SECRET, now: NOW, contract: null });
      expect(await verifyGithub(SECRET.text, body, headers["x-hub-signature-256"]!)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("what standard-webhooks signs, the official library verifies, for every text", () => {
  const official = new Webhook(SECRET.text);
  const adapter = useAdapter("standard-webhooks");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (body) => {
      // The library has no clock of its own to set.
      const headers = adapter.sign({
        body: Buffer.from(body),
        secret: SECRET,
        now: new Date(),
        contract: null,
      });
      official.verify(body, headers, { jsonParse: false });
    }),
    { numRuns: 100 },
  );
});
