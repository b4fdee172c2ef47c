import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listCaptures as listCapturesCall, setCapture } from "#lib/api/endpoints/source-tools.ts";
import { startWebServer, type WebServer } from "#tests/support/next-server.ts";
import { SENDER_SECRET } from "#tests/support/senders.ts";

let web: WebServer;
beforeAll(async () => {
  web = await startWebServer();
  const accounts = [{ account: "p1", tenant: "t" }];
  for (const [id, kind] of [
    ["sinalio", "sinalio"],
    ["stripe", "stripe"],
  ])
    await web.call("PUT", `/api/v1/sources/${id}`, { kind, name: id, accounts, secrets: [SENDER_SECRET] });
}, 300_000);
afterAll(() => web?.stop());

const capture = (on: boolean, id = "sinalio") =>
  web.call("POST", `/api/v1/sources/${id}/capture`, { on, reason: "to learn it" });
const audited = async () =>
  (
    await web.sql`select action, reason from audit_entries where action like 'source.capture%' order by id`
  ).map(({ action }) => action);
const list = (query = "") => web.call("GET", `/api/v1/sources/sinalio/captures${query}`);

describe("capture", () => {
  it("is switched on for 24 hours and off again, each with its audit entry", async () => {
    const on = await capture(true);
    setCapture.answer.parse(on.json);
    const hours = (Date.parse(on.json.captureUntil) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
    expect((await capture(false)).json.captureUntil).toBeNull();
    expect((await capture(false)).status).toBe(200);
    expect(await audited()).toEqual(["source.capture-on", "source.capture-off"]);
  });

  it("is refused where requests can be verified, without a reason, and for nobody", async () => {
    expect((await capture(true, "stripe")).status).toBe(409);
    expect((await capture(true, "nobody")).status).toBe(404);
    expect((await web.call("POST", "/api/v1/sources/sinalio/capture", { on: true })).status).toBe(400);
    expect(await audited()).toHaveLength(2);
  });

  it("shows whole requests without credentials: newest first, in pages, bytes as they came", async () => {
    await capture(true);
    const bodies = ['{"a":1.50}', Buffer.from([0xff, 0x00, 0x7b]), `"${"é".repeat(40_000)}"`];
    for (const [at, body] of bodies.entries()) {
      const headers = {
        authorization: "Bearer hidden",
        cookie: "session=hidden",
        "x-sinalio-signature": `s${at}`,
      };
      const answer = await web.send(`/api/webhooks/sinalio?n=${at}`, { method: "POST", body, headers });
      expect(answer.status).toBe(503);
    }
    const first = await list("?limit=2");
    listCapturesCall.answer.parse(first.json);
    const second = await list(`?limit=2&cursor=${first.json.nextCursor}`);
    const items = [...first.json.items, ...second.json.items];
    expect(items.map(({ query }) => query)).toEqual(["n=2", "n=1", "n=0"]);
    expect(second.json.nextCursor).toBeNull();
    expect(items[2]).toMatchObject({
      method: "POST",
      bytes: 10,
      body: { encoding: "utf8", text: '{"a":1.50}' },
      headers: { "x-sinalio-signature": "s0" },
    });
    expect(items[1].body).toEqual({ encoding: "base64", text: "/wB7" });
    // Cut, and not in the middle of a character.
    expect(items[0]).toMatchObject({ bytes: 80_002, body: { encoding: "utf8" } });
    expect(items[0].body.text).toBe(`"${"é".repeat(32_767)}`);
    expect(first.text + second.text).not.toContain("hidden");
    expect((await list("?limit=x")).status).toBe(400);
    expect((await web.call("GET", "/api/v1/sources/nobody/captures")).status).toBe(404);
    const [events] = await web.sql`select count(*)::int as events from inbox_events`;
    expect(events).toEqual({ events: 0 });
  });

  it("needs a token", async () => {
    expect((await web.send("/api/v1/sources/sinalio/captures")).status).toBe(401);
  });
});
