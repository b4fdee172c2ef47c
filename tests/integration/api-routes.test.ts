import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENDPOINTS } from "#lib/api/endpoints/index.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { type Answer, startWebServer, type WebServer } from "#tests/support/next-server.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const SECRET = `whsec_${"r".repeat(32)}`;

let web: WebServer;
beforeAll(async () => {
  web = await startWebServer();
}, 300_000);
afterAll(async () => {
  const broken = web ? (await checkInvariants(web.sql)).filter(({ ok }) => !ok) : [];
  await web?.stop();
  expect(broken).toEqual([]);
});

/** Calls with the admin token, and holds every success against the schema that the document promises. */
async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const answer = await web.call(method, path, body);
  const bare = path.split("?")[0]!.split("/");
  const endpoint = ENDPOINTS.find(
    (each) =>
      each.method === method &&
      each.path.split("/").length === bare.length &&
      each.path.split("/").every((part, index) => part.startsWith("{") || part === bare[index]),
  );
  if (answer.status < 300) {
    endpoint!.answer.parse(answer.json);
    expect(Object.keys(endpoint!.success)).toContain(String(answer.status));
  } else expect(answer.json.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  return answer;
}

async function deliver(event: unknown): Promise<string> {
  const body = JSON.stringify(event);
  const headers = { "stripe-signature": signStripe(body, SECRET) };
  const answer = await web.send("/api/webhooks/shop", { method: "POST", body, headers });
  expect(answer.status).toBe(200);
  return answer.json.event;
}

async function work(): Promise<void> {
  while ((await processBatch(web.sql, { limit: 100 }, uuidv7())).claimed > 0);
}

const source = {
  kind: "stripe",
  name: " Shop ",
  secrets: [`  ${SECRET}\n`],
  accounts: [
    { account: "acct_shop", tenant: "shop", mode: "live" },
    { account: "acct_shop", tenant: "shop", mode: "test" },
  ],
};

describe("the API, from nothing to a trace", () => {
  it("sets up a source, a workspace and a link", async () => {
    const created = await call("PUT", "/api/v1/sources/shop", source);
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ name: "Shop", webhookUrl: `${web.url}/api/webhooks/shop` });
    expect(created.text).not.toContain(SECRET);
    expect((await call("PUT", "/api/v1/sources/shop", source)).status).toBe(200);
    const workspace = { tenant: "shop", name: "Shop", contact: "billing@shop.example" };
    expect((await call("PUT", "/api/v1/workspaces/ws_shop", workspace)).status).toBe(201);
    const link = { source: "shop", account: "acct_shop", customer: "cus_acme", workspace: "ws_shop" };
    expect((await call("PUT", "/api/v1/customer-links", link)).status).toBe(201);
    expect((await call("PUT", "/api/v1/customer-links", link)).json).toEqual({ ...link, released: 0 });
    expect((await call("GET", "/api/v1/sources")).json.items).toHaveLength(1);
  });

  it("shows a grant in workspace, inbox, event, invoice and outbox", async () => {
    const event = stripeEvent({}, stripeInvoice({ id: "in_story" }));
    const id = await deliver(event);
    await work();
    await deliver(event);

    const workspace = await call("GET", "/api/v1/workspaces/ws_shop");
    expect(workspace.json.creditBalance).toBe(100);
    expect(workspace.json.entries.items).toMatchObject([{ amount: 100, subject: "in_story", event: id }]);

    const list = await call("GET", "/api/v1/inbox?status=done&source=shop&subject=in_story&type=&q=");
    expect(list.json).toMatchObject({
      items: [{ id, status: "done", outcome: "applied" }],
      nextCursor: null,
    });
    expect((await call("GET", "/api/v1/inbox?q=in_story")).json.items).toHaveLength(1);
    expect((await call("GET", `/api/v1/inbox?q=${id}`)).json.items).toHaveLength(1);
    expect((await call("GET", "/api/v1/inbox?since=2099-01-01T00:00:00Z")).json.items).toHaveLength(0);

    const detail = await call("GET", `/api/v1/inbox/${id}`);
    expect(detail.json).toMatchObject({ attempts: 1, deliveries: { count: 2 }, conflicts: 0 });
    expect(JSON.parse(detail.json.body.text)).toEqual(event);
    expect(detail.json.attemptLog).toHaveLength(1);

    const trace = await call("GET", "/api/v1/invoices/shop/acct_shop/in_story");
    expect(trace.json.sentence).toContain("100 credits were granted to Shop");
    expect((await call("GET", "/api/v1/outbox?status=pending")).json.items).toMatchObject([
      { destination: "billing@shop.example", event: id },
    ]);
  });

  it("replays without harm: first the verdict, then the operation", async () => {
    const [{ id }] = (await call("GET", "/api/v1/inbox?q=in_story")).json.items;
    const dry = await call("POST", `/api/v1/inbox/${id}/replay`, { reason: "customer asked", dryRun: true });
    expect([dry.status, dry.json.verdict, dry.json.operation]).toEqual([200, "already_applied", null]);
    const done = await call("POST", `/api/v1/inbox/${id}/replay`, { reason: "customer asked" });
    expect([done.status, done.json.verdict]).toEqual([202, "already_applied"]);
    expect((await call("GET", "/api/v1/workspaces/ws_shop")).json.creditBalance).toBe(100);
    const [audit] = await web.sql`select actor, reason from audit_entries where action = 'inbox.replay'`;
    expect(audit).toEqual({ actor: "admin-token", reason: "customer asked" });
    expect((await call("POST", `/api/v1/inbox/${uuidv7()}/replay`, { reason: "x" })).status).toBe(404);
    expect((await call("POST", `/api/v1/inbox/${id}/replay`, { reason: "  " })).status).toBe(400);
  });

  it("keeps digits, signs and odd characters of a payload and of ids", async () => {
    const invoice = "in/ä %2F?#1";
    const event = stripeEvent(
      { account: "acct_shop" },
      stripeInvoice({ id: invoice, metadata: { n: "@@" } }),
    );
    const body = JSON.stringify(event).replace('"@@"', "12345678901234567890123.450");
    const headers = { "stripe-signature": signStripe(body, SECRET) };
    const { json } = await web.send("/api/webhooks/shop", { method: "POST", body, headers });
    await work();
    expect((await call("GET", `/api/v1/inbox/${json.event}`)).json.body.text).toBe(body);
    const trace = await call("GET", `/api/v1/invoices/shop/acct_shop/${encodeURIComponent(invoice)}`);
    expect(trace.json.invoice).toBe(invoice);
    expect((await call("GET", "/api/v1/invoices/shop/acct_shop~test/in_story")).status).toBe(404);
  });

  it("pauses, rotates and resumes", async () => {
    expect((await call("POST", "/api/v1/sources/shop/pause", { reason: "maintenance" })).json.status).toBe(
      "paused",
    );
    const rotated = await call("POST", "/api/v1/sources/shop/secrets", { secret: `whsec_${"n".repeat(32)}` });
    expect(rotated.json.secrets).toHaveLength(2);
    await deliver(stripeEvent());
    expect((await call("POST", "/api/v1/sources/shop/resume", { reason: "over" })).json.status).toBe(
      "active",
    );
    await work();
    expect((await call("POST", "/api/v1/sources/nobody/pause", { reason: "x" })).status).toBe(404);
  });

  it("compares acknowledged uuids", async () => {
    const [{ id }] = (await call("GET", "/api/v1/inbox?q=in_story")).json.items;
    expect((await call("GET", "/api/v1/check")).json.ok).toBe(true);
    expect((await call("POST", "/api/v1/check", { acks: [id] })).json.ok).toBe(true);
    const lost = await call("POST", "/api/v1/check", { acks: [id, uuidv7()] });
    expect(lost.json.ok).toBe(false);
    expect(lost.json.checks.at(-1)).toMatchObject({ name: "acknowledged_events_are_stored", count: 1 });
  });
});

describe("pages", () => {
  it("give every row once, in order, while rows arrive", async () => {
    // One statement, so that all share a millisecond and many a microsecond.
    await web.sql`
      insert into inbox_events (id, source_id, account, event_id, type, mode, status, finished_at, why, received_at,
        content_digest, body_digest, body_bytes, body_expires_on)
      select gen_random_uuid(), 'shop', 'acct_shop', 'evt_page_' || n, 'page.test', 'live', 'ignored', now(), 'x',
        '2026-01-01 00:00:00.123450+00'::timestamptz + n / 3 * interval '1 microsecond', sha256(''), sha256(''), 0, '2026-12-31'
      from generate_series(1, 50) n`;
    const seen: string[] = [];
    const times: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Answer = await call(
        "GET",
        `/api/v1/inbox?type=page.test&limit=7${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...page.json.items.map((item: { id: string }) => item.id));
      times.push(...page.json.items.map((item: { receivedAt: string }) => item.receivedAt));
      cursor = page.json.nextCursor;
      await web.sql`
        insert into inbox_events (id, source_id, account, event_id, type, mode, status, finished_at, why,
          content_digest, body_digest, body_bytes, body_expires_on)
        values (gen_random_uuid(), 'shop', 'acct_shop', gen_random_uuid()::text, 'page.test', 'live', 'ignored', now(), 'x',
          sha256(''), sha256(''), 0, '2026-12-31')`;
    }
    expect(seen).toHaveLength(50);
    expect(new Set(seen).size).toBe(50);
    expect(times).toEqual([...times].sort().reverse());
    expect(times[0]).toMatch(/\.123466Z$/);
  });

  it("refuse what is no page", async () => {
    for (const query of [
      "limit=0",
      "limit=201",
      "limit=x",
      "status=nonsense",
      "since=yesterday",
      "unknown=1",
      "q=a&q=b",
    ]) {
      expect((await call("GET", `/api/v1/inbox?${query}`)).status).toBe(400);
    }
    for (const cursor of ["x", Buffer.from('["2026-01-01\' or true--","x"]').toString("base64url")]) {
      expect((await call("GET", `/api/v1/inbox?cursor=${cursor}`)).status).toBe(422);
    }
    for (const list of ["outbox", "rejections"])
      expect((await call("GET", `/api/v1/${list}?limit=1`)).status).toBe(200);
    expect((await call("GET", "/api/v1/workers")).json.processes[0]).toMatchObject({
      role: "web",
      alive: true,
    });
  });
});

describe("odd requests", () => {
  it.each<[string, string, unknown, number]>([
    ["PUT", "/api/v1/sources/UPPER", source, 400],
    ["PUT", "/api/v1/sources/x", { ...source, accounts: [] }, 400],
    ["PUT", "/api/v1/sources/x", { ...source, colour: "red" }, 400],
    ["PUT", "/api/v1/sources/x", { ...source, settings: { credits: 0 } }, 400],
    ["PUT", "/api/v1/sources/x", { ...source, secrets: ["short"] }, 422],
    [
      "PUT",
      "/api/v1/workspaces/w",
      { tenant: "t", name: "N", contact: "a@b.example\nBcc: c@d.example" },
      400,
    ],
    ["PUT", "/api/v1/workspaces/w", { tenant: "t", name: "N", contact: "a@b.example, c@d.example" }, 400],
    ["PUT", "/api/v1/workspaces/w", { tenant: "t", name: "N\u0000" }, 400],
    ["PUT", "/api/v1/workspaces/ws_shop", { tenant: "else", name: "N" }, 409],
    ["PUT", "/api/v1/workspaces/w%00", { tenant: "t", name: "N" }, 400],
    ["GET", "/api/v1/workspaces/none", undefined, 404],
    ["GET", "/api/v1/sources/none", undefined, 404],
    ["GET", "/api/v1/inbox/not-a-uuid", undefined, 400],
    ["GET", `/api/v1/inbox/${uuidv7()}`, undefined, 404],
    ["POST", "/api/v1/check", { acks: Array.from({ length: 10_001 }, () => "x") }, 400],
  ])("%s %s is refused", async (method, path, body, status) => {
    expect((await call(method, path, body)).status).toBe(status);
  });

  it("never tell more than they must when the database refuses or is away", async () => {
    await web.sql`alter table workspaces rename to workspaces_away`;
    const answer = await call("GET", "/api/v1/workspaces/ws_shop");
    await web.sql`alter table workspaces_away rename to workspaces`;
    expect(answer.status).toBe(500);
    expect(answer.text).not.toMatch(/workspaces|select|at .*\.ts/);
  });
});

describe("the OpenAPI document", () => {
  it("has every call, and every reference leads somewhere", async () => {
    const { json, text } = await web.call("GET", "/api/v1/openapi.json");
    expect(json.openapi).toBe("3.1.0");
    const calls = Object.entries(json.paths as object).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(calls.sort()).toEqual(ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort());
    const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(Object.keys(json.components.schemas)).toContain(name);
    expect(text).not.toContain("$defs");
  });
});
