import { describe, expect, it } from "vitest";
import { isDirect } from "#app/mark-request.ts";
import { areTokensEqual } from "#lib/access/compare-tokens.ts";
import { type GuardedRequest, judgeAccess } from "#lib/access/guard.ts";
import { isLoopbackHost } from "#lib/access/loopback.ts";

const tokens = { console: "console-token", admin: "admin-token-16chars" };
const request = (overrides: Partial<GuardedRequest> = {}): GuardedRequest => ({
  method: "GET",
  host: "localhost:3000",
  direct: true,
  authorization: null,
  cookie: "console-token",
  origin: null,
  ...overrides,
});
const judge = (
  overrides?: Partial<GuardedRequest>,
  known = tokens as { console: string | null; admin: string | null },
) => judgeAccess(request(overrides), known, "https://counterfoil.example");

describe("isLoopbackHost", () => {
  it.each(["localhost", "LocalHost:1", "127.0.0.1", "127.255.255.255:65535", "[::1]", "[::1]:3000"])(
    "takes %s",
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );
  it.each([
    "",
    "localhost.",
    "localhost:",
    "localhost:x",
    "a.localhost",
    "localhost@evil",
    "127.0.0.1.evil.example",
    "127.1",
    "127.0.0.256",
    "128.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "[::2]",
    "::1",
    "0.0.0.0",
    " localhost",
    "localhost localhost",
    "localhost,localhost",
    "127.0.0.1\n",
  ])("refuses %j", (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});

describe("isDirect", () => {
  it("looks at names in any case, and at nothing else", () => {
    expect(isDirect(["Host", "localhost", "Accept", "x-forwarded-for"])).toBe(true);
    for (const name of ["Forwarded", "X-FORWARDED-ANYTHING", "x-forwarded-for", "Via"]) {
      expect(isDirect(["Host", "localhost", name, ""])).toBe(false);
    }
  });
  it("wants exactly one Host", () => {
    expect(isDirect(["Accept", "*/*"])).toBe(false);
    expect(isDirect(["Host", "localhost", "HOST", "evil.example"])).toBe(false);
  });
});

describe("areTokensEqual", () => {
  it("compares tokens of any length", () => {
    expect(areTokensEqual("abc", "abc")).toBe(true);
    for (const [a, b] of [
      ["abc", "abd"],
      ["abc", "abcd"],
      ["", "a"],
      ["é", "e\u0301"],
    ])
      expect(areTokensEqual(a!, b!)).toBe(false);
  });
});

describe("judgeAccess", () => {
  it("names who it was", () => {
    expect(judge()).toMatchObject({ ok: true, by: "cookie", actor: { name: "console" } });
    const authorization = "Bearer admin-token-16chars";
    expect(judge({ authorization })).toMatchObject({
      ok: true,
      by: "bearer",
      actor: { name: "admin-token" },
    });
  });

  it("lets nobody in where no token is set", () => {
    const none = { console: null, admin: null };
    for (const cookie of ["", "null", "undefined", null]) expect(judge({ cookie }, none).ok).toBe(false);
    expect(judge({ authorization: "Bearer " }, none).ok).toBe(false);
  });

  it("asks for the place before the token, so that a stranger cannot try tokens", () => {
    expect(judge({ host: "evil.example", cookie: "wrong" })).toMatchObject({
      status: 403,
      code: "not_loopback",
    });
    expect(judge({ host: null })).toMatchObject({ code: "not_loopback" });
    expect(judge({ direct: false, cookie: "wrong" })).toMatchObject({ status: 403, code: "forwarded" });
  });

  it.each(["PUT", "POST", "PATCH", "DELETE", "PURGE"])(
    "takes %s by cookie only from our own pages",
    (method) => {
      for (const origin of [
        null,
        "null",
        "http://evil.example",
        "https://localhost:3000",
        "http://localhost",
      ]) {
        expect(judge({ method, origin })).toMatchObject({ ok: false, code: "foreign_origin" });
      }
      expect(judge({ method, origin: "http://localhost:3000" }).ok).toBe(true);
      expect(judge({ method, origin: "https://counterfoil.example" }).ok).toBe(true);
      expect(judge({ method, authorization: "Bearer console-token", origin: "http://evil.example" }).ok).toBe(
        true,
      );
    },
  );
});
