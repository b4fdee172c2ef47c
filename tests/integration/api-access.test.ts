import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_TOKEN, CONSOLE_TOKEN, startWebServer, type WebServer } from "#tests/support/next-server.ts";

let web: WebServer;
beforeAll(async () => {
  web = await startWebServer();
}, 300_000);
afterAll(() => web?.stop());

const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` };
const cookie = { cookie: `counterfoil_token=${CONSOLE_TOKEN}` };
const LIST = "/api/v1/sources";
const WORKSPACE = "/api/v1/workspaces/ws_access";
const body = { tenant: "acme", name: "Acme" };

describe("reading the API", () => {
  it.each([
    ["the admin token", bearer, 200],
    ["the console token as bearer", { authorization: `bearer ${CONSOLE_TOKEN}` }, 200],
    ["the cookie", cookie, 200],
    ["nothing", {}, 401],
    ["a wrong token", { authorization: "Bearer wrong" }, 401],
    ["a wrong token beside a right cookie", { ...cookie, authorization: "Bearer wrong" }, 401],
    ["basic authentication", { authorization: `Basic ${btoa(`x:${ADMIN_TOKEN}`)}` }, 401],
    ["the token in another cookie", { cookie: `token=${CONSOLE_TOKEN}` }, 401],
    [
      "Next's middleware header instead",
      { "x-middleware-subrequest": "middleware:middleware:middleware" },
      401,
    ],
  ])("with %s is answered", async (_, headers, status) => {
    const answer = await web.send(LIST, { headers });
    expect(answer.status).toBe(status);
    expect(answer.headers["cache-control"]).toBe("no-store");
    if (status === 401) expect(answer.json.error.code).toBe("unauthorized");
  });

  it.each([
    ["localhost", 200],
    ["LOCALHOST:8080", 200],
    ["[::1]:3000", 200],
    ["127.8.9.10", 200],
    ["localhost.", 403],
    ["counterfoil.example", 403],
    ["127.0.0.1.nip.io", 403],
    ["localhost.evil.example", 403],
    ["127.0.0.1:80@evil.example", 403],
    ["0.0.0.0", 403],
  ])("under the Host %s is answered with %i", async (host, status) => {
    expect((await web.send(LIST, { headers: { ...bearer, host } })).status).toBe(status);
  });

  it.each([
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "x-forwarded-proto",
    "X-Forwarded-Port",
    "X-Forwarded-Server",
    "X-Real-IP",
    "Via",
  ])("refuses what carries %s, whatever it says", async (name) => {
    for (const value of ["for=127.0.0.1", "127.0.0.1", "localhost", ""]) {
      const answer = await web.send(LIST, { headers: { ...bearer, [name]: value } });
      expect(answer.status).toBe(403);
      expect(answer.json.error.code).toBe("forwarded");
    }
  });

  it("cannot be had by a forged mark", async () => {
    for (const mark of ["1", "true", "undefined", ""]) {
      const headers = { ...bearer, "x-forwarded-for": "127.0.0.1", "x-counterfoil-direct": mark };
      expect((await web.send(LIST, { headers })).status).toBe(403);
    }
  });
});

describe("a change", () => {
  const put = (headers: Record<string, string>, value: unknown = body) =>
    web.send(WORKSPACE, { method: "PUT", body: value, headers });

  it("with a bearer token needs no Origin", async () => {
    expect((await put(bearer)).status).toBe(201);
  });

  it("with the cookie needs our own Origin", async () => {
    const own = `http://127.0.0.1:${web.port}`;
    expect((await put({ ...cookie, origin: own })).status).toBe(200);
    expect((await put({ ...cookie, host: "localhost:99", origin: "http://localhost:99" })).status).toBe(200);
    for (const origin of [
      "http://evil.example",
      "null",
      `${own}0`,
      `https://127.0.0.1:${web.port}`,
      "http://127.0.0.1",
    ]) {
      const answer = await put({ ...cookie, origin });
      expect(answer.status).toBe(403);
      expect(answer.json.error.code).toBe("foreign_origin");
    }
    expect((await put(cookie)).status).toBe(403);
  });

  it("needs a JSON body of the right shape", async () => {
    expect((await put({ ...bearer, "content-type": "text/plain" })).status).toBe(415);
    expect((await put(bearer, "{")).json.error.code).toBe("invalid_json");
    expect((await put(bearer, '{"tenant":"a","tenant":"b","name":"x"}')).status).toBe(400);
    const unknown = await put(bearer, { ...body, credit_balance: 5 });
    expect(unknown.status).toBe(400);
    expect(unknown.json.error.issues[0].message).toContain("credit_balance");
    expect((await put(bearer, { ...body, name: "x".repeat(1_100_000) })).status).toBe(413);
  });

  it("is refused to a page on another site that posts a form", async () => {
    const headers = { ...cookie, origin: "http://evil.example", "content-type": "text/plain" };
    expect(
      (await web.send(`${LIST}/stripe/pause`, { method: "POST", body: '{"reason":"x"}', headers })).status,
    ).toBe(403);
  });
});

describe("GET has no effect", () => {
  it("on any call, fetched twice", async () => {
    const tables = [
      "tenants",
      "workspaces",
      "sources",
      "audit_entries",
      "inbox_events",
      "operations",
      "outbox_messages",
    ];
    const count = () =>
      Promise.all(tables.map((table) => web.sql.unsafe(`select count(*)::int from ${table}`)));
    const before = await count();
    const paths = [
      "/api/v1/openapi.json",
      LIST,
      "/api/v1/inbox",
      "/api/v1/outbox",
      "/api/v1/workers",
      "/api/v1/check",
    ];
    for (const path of [...paths, ...paths]) expect((await web.call("GET", path)).status).toBe(200);
    expect(await count()).toEqual(before);
  });
});

describe("/enter", () => {
  it("lets in with the printed link, and the cookie then opens the API", async () => {
    const answer = await web.send(`/enter?token=${CONSOLE_TOKEN}`);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe("/");
    const [set] = answer.headers["set-cookie"] as unknown as string[];
    expect(set).toMatch(/^counterfoil_token=.*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    expect((await web.send(LIST, { headers: { cookie: set!.split(";")[0]! } })).status).toBe(200);
  });

  it("lets in with the pasted token", async () => {
    const form = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await web.send("/enter", { ...form, body: `token=+${CONSOLE_TOKEN}+` })).status).toBe(303);
    const wrong = await web.send("/enter", { ...form, body: "token=<script>" });
    expect(wrong.status).toBe(401);
    expect(wrong.headers["set-cookie"]).toBeUndefined();
    expect(wrong.text).not.toContain("<script>");
  });

  it("shows the form, never in a frame and never stored", async () => {
    const page = await web.send("/enter");
    expect(page.status).toBe(200);
    expect(page.text).toContain('action="/enter"');
    expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(page.headers["cache-control"]).toBe("no-store");
    expect(page.headers["referrer-policy"]).toBe("no-referrer");
  });

  it("is closed under a foreign name and through a proxy, also with the right token", async () => {
    for (const headers of [{ host: "evil.example" }, { "x-forwarded-for": "127.0.0.1" }] as Record<
      string,
      string
    >[]) {
      const answer = await web.send(`/enter?token=${CONSOLE_TOKEN}`, { headers });
      expect(answer.status).toBe(403);
      expect(answer.headers["set-cookie"]).toBeUndefined();
      expect(answer.text).not.toContain("<form");
    }
  });
});

describe("open to everybody", () => {
  it("are health and the receiver, also through a proxy", async () => {
    const headers = { host: "public.example", "x-forwarded-for": "203.0.113.9" };
    expect((await web.send("/api/health/live", { headers })).json).toEqual({ status: "live" });
    expect((await web.send("/api/health/ready", { headers })).json).toEqual({ status: "ready" });
    expect((await web.send("/api/webhooks/nobody", { method: "POST", body: {}, headers })).status).toBe(404);
  });

  it("is not ready on a schema that wants a newer version", async () => {
    await web.sql`update schema_compatibility set oldest_version = '99.0.0'`;
    const answer = await web.send("/api/health/ready");
    await web.sql`update schema_compatibility set oldest_version = '0.1.0'`;
    expect(answer.status).toBe(503);
    expect(answer.json.why).toContain("99.0.0");
  });

  it("any other path of the API is a 404 in JSON", async () => {
    expect((await web.send("/api/v1/nothing/here")).json.error.code).toBe("not_found");
  });
});
