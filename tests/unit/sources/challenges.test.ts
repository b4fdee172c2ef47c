import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { adapters } from "#lib/sources/index.ts";
import { CONTRACT, contractFor, useAdapter } from "./arrange.ts";

const TOKEN = "the token that was agreed on";
const verifyTokenSha256 = createHash("sha256").update(TOKEN).digest("hex");
const challenges = [
  { kind: "hub-challenge", verifyTokenSha256 },
  { kind: "url-verification" },
  { kind: "head" },
];
const contract = { ...CONTRACT, challenges };
const hmac = useAdapter("hmac");

const ask = (method: string, query = "", payload: unknown = null) =>
  hmac.answerChallenge!({ method, query, payload: payload as never, contract });
const hub = (parts: Record<string, string>) =>
  new URLSearchParams({
    "hub.mode": "subscribe",
    "hub.verify_token": TOKEN,
    "hub.challenge": "1158201444",
    ...parts,
  });

describe("hub.challenge", () => {
  test("is sent back to a sender that knows the token", () => {
    expect(ask("GET", hub({}).toString())).toEqual({
      answered: true,
      contentType: "text/plain",
      body: "1158201444",
    });
  });

  test.each<Record<string, string>>([
    { "hub.verify_token": "another" },
    { "hub.verify_token": "" },
    { "hub.verify_token": verifyTokenSha256 },
    { "hub.mode": "unsubscribe" },
    { "hub.challenge": "<script>alert(1)</script> " },
    { "hub.challenge": "a\r\nb" },
    { "hub.challenge": "" },
    { "hub.challenge": "a".repeat(600) },
  ])("is refused with %j", (parts) => {
    expect(ask("GET", hub(parts).toString())).toEqual({ answered: false });
  });

  test("is refused when a part comes twice", () => {
    expect(ask("GET", `${hub({})}&hub.verify_token=x`)).toEqual({ answered: false });
    expect(ask("GET", `${hub({})}&hub.challenge=x`)).toEqual({ answered: false });
  });

  test("is no challenge on another method or without its parts", () => {
    expect(ask("GET", "a=1")).toBeNull();
    expect(ask("GET", "")).toBeNull();
    expect(ask("PUT", hub({}).toString())).toBeNull();
    expect(ask("POST", hub({}).toString(), { type: "thing.made" })).toBeNull();
  });
});

describe("url_verification", () => {
  test("is answered with its challenge", () => {
    const payload = { type: "url_verification", token: "t", challenge: "3eZbrw1aB" };
    expect(ask("POST", "", payload)).toEqual({
      answered: true,
      contentType: "text/plain",
      body: "3eZbrw1aB",
    });
  });

  test.each([{}, { challenge: 5 }, { challenge: "" }, { challenge: "a b" }])(
    "is refused with %j",
    (parts) => {
      expect(ask("POST", "", { type: "url_verification", ...parts })).toEqual({ answered: false });
    },
  );

  test.each([null, [], { type: "event_callback", challenge: "x" }, { challenge: "x" }])(
    "is not %j",
    (payload) => {
      expect(ask("POST", "", payload)).toBeNull();
    },
  );
});

test("a bare HEAD is answered", () => {
  expect(ask("HEAD")).toEqual({ answered: true, contentType: "text/plain", body: "" });
});

test("no sender answers a challenge that its contract does not name", () => {
  for (const adapter of adapters) {
    for (const method of ["GET", "HEAD", "POST"]) {
      const payload = method === "POST" ? { type: "url_verification", challenge: "x" } : null;
      const input = { method, query: hub({}).toString(), payload, contract: contractFor(adapter) };
      expect(adapter.answerChallenge?.(input) ?? null, adapter.kind).toBeNull();
    }
  }
});
