import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CHECKLIST } from "#lib/sources/contract-schema.ts";
import { CONFIRMED, CONTRACT, later, NOW, readHeaders, SECRET, useAdapter } from "./arrange.ts";

describe("payments", () => {
  const payments = useAdapter("payments");
  const identify = (payload: object) =>
    payments.identify({
      payload: payload as never,
      header: readHeaders({}),
      body: Buffer.alloc(0),
      contract: null,
    });
  const event = {
    eventId: "ev_1",
    type: "TRANSACTION_SUCCEEDED",
    transactionId: "tx_77",
    amount: 1200,
    currency: "EUR",
  };

  test("is ready without a contract of its own", () => {
    expect(payments.readiness!(null)).toEqual({ state: "ready" });
    expect(payments.checkContract!(null)).toMatchObject({
      ok: true,
      contract: { delivery: { retryWindowHours: 72 } },
    });
  });

  test("signs time and body with X-Payments-Signature", () => {
    const headers = payments.sign({ body: Buffer.from("{}"), secret: SECRET, now: NOW, contract: null });
    expect(Object.keys(headers).sort()).toEqual(["x-payments-signature", "x-payments-timestamp"]);
  });

  test("keeps several events of one transaction apart, with the transaction as subject", () => {
    const types = [
      "TRANSACTION_SUCCEEDED",
      "TRANSACTION_FAILED",
      "TRANSACTION_REFUNDED",
      "CHECKOUT_SESSION_PAID",
    ];
    for (const [n, type] of types.entries()) {
      expect(identify({ ...event, eventId: `ev_${n}`, type })).toMatchObject({
        identity: { eventId: `ev_${n}`, type, account: null, subject: "tx_77", mode: "live" },
      });
    }
    expect(identify({ ...event, merchantId: 5 })).toMatchObject({ identity: { account: "5" } });
  });

  test("notices another amount under the same event id, and no other attempt number", () => {
    const content = (payload: object) => {
      const identified = identify(payload);
      return identified.ok && identified.identity.content;
    };
    expect(content({ ...event, attempt: 2 })).toEqual(content(event));
    expect(content({ ...event, amount: 1201 })).not.toEqual(content(event));
    expect(content({ ...event, transactionId: "tx_78" })).not.toEqual(content(event));
  });

  test("follows a contract that overrides a part", () => {
    const checked = payments.checkContract!({
      version: 1,
      verification: { signedContent: "{body}", timestamp: { kind: "none" } },
    });
    if (!checked.ok) throw new Error(checked.problems.join());
    const { contract } = checked;
    const body = Buffer.from("{}");
    const headers = payments.sign({ body, secret: SECRET, now: NOW, contract });
    expect(Object.keys(headers)).toEqual(["x-payments-signature"]);
    const input = { body, header: readHeaders(headers), secrets: [SECRET], now: later(1e6), contract };
    expect(payments.verify(input).ok).toBe(true);
    expect(payments.verify({ ...input, contract: null }).ok).toBe(false);
  });
});

describe("sinalio", () => {
  const sinalio = useAdapter("sinalio");
  const body = Buffer.from('{"type":"thing.made","project":{"id":7},"data":{"id":"fb_1"}}');
  const complete = { ...CONTRACT, confirmed: CONFIRMED };

  function receive(contract: unknown, bytes = body) {
    const headers = sinalio.sign({ body: bytes, secret: SECRET, now: NOW, contract, id: "e1" });
    const header = readHeaders(headers);
    const verified = sinalio.verify({ body: bytes, header, secrets: [SECRET], now: NOW, contract });
    const payload = JSON.parse(bytes.toString());
    return { verified, identified: sinalio.identify({ payload, header, body: bytes, contract }) };
  }

  test("starts unconfigured: the receiver has nothing to verify with", () => {
    expect(sinalio.checkContract!(null)).toMatchObject({
      ok: true,
      contract: { verification: null, confirmed: [] },
    });
    expect(sinalio.readiness!(null)).toEqual({
      state: "unconfigured",
      why: "verification is not configured",
    });
  });

  test("stays closed while verification is entered but not confirmed", () => {
    expect(sinalio.readiness!(CONTRACT)).toEqual({
      state: "unconfigured",
      why: "verification is not confirmed",
    });
    expect(receive(CONTRACT).verified).toMatchObject({ ok: false });
    expect(receive(CONTRACT).identified).toMatchObject({ ok: false });
  });

  test("keeps events as waiting while anything of the checklist is open", () => {
    const contract = { ...CONTRACT, confirmed: ["authenticity", "catalogue"] };
    const missing = CHECKLIST.filter((item) => !contract.confirmed.includes(item));
    expect(sinalio.readiness!(contract)).toEqual({ state: "unconfirmed", missing });
    const { verified, identified } = receive(contract);
    expect(verified.ok).toBe(true);
    expect(identified).toMatchObject({
      ok: true,
      identity: {
        eventId: "e1",
        account: "7",
        waits: { kind: "contract", why: expect.stringContaining("replay") },
      },
    });
  });

  test("keeps even those that it cannot read yet, under a key made of the bytes", () => {
    const known = { signature: { header: "x-sig" } };
    const contract = { version: 1, verification: known, confirmed: ["authenticity"] };
    const { verified, identified } = receive(contract);
    expect(verified.ok).toBe(true);
    const eventId = `body:${createHash("sha256").update(body).digest("hex")}`;
    expect(identified).toMatchObject({ ok: true, identity: { eventId, waits: { kind: "contract" } } });
  });

  test("processes when all is confirmed", () => {
    expect(sinalio.readiness!(complete)).toEqual({ state: "ready" });
    const { identified } = receive(complete);
    expect(identified).toMatchObject({ identity: { eventId: "e1", account: "7", subject: "fb_1" } });
    expect(identified.ok && identified.identity.waits).toBeUndefined();
  });

  test.each([
    ["catalogue", { types: {} }],
    ["identities", { event: { ...CONTRACT.event, subject: null } }],
    ["scoping", { event: { ...CONTRACT.event, account: null } }],
    ["authenticity", { verification: null }],
    ["delivery", { delivery: null }],
    ["replay", { delivery: null }],
  ])("does not let %s be confirmed before it is written down", (item, change) => {
    const checked = sinalio.checkContract!({ ...CONTRACT, ...change, confirmed: [item] });
    expect(checked).toMatchObject({
      ok: false,
      problems: [expect.stringContaining(`confirmed: ${item} needs`)],
    });
  });
});
