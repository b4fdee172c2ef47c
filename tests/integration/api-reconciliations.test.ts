import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "#lib/cli/run-cli.ts";
import { workRun } from "#lib/reconcile/work.ts";
import { createClock } from "#tests/simulators/clock.ts";
import { type StripeSimulator, startStripe } from "#tests/simulators/stripe.ts";
import { ADMIN_TOKEN, startWebServer, type WebServer } from "#tests/support/next-server.ts";
import { API_KEY, workOptions } from "#tests/support/reconciling.ts";

let web: WebServer;
let stripe: StripeSimulator;
beforeAll(async () => {
  web = await startWebServer();
  const put = (path: string, body: object) => web.call("PUT", `/api/v1/${path}`, body);
  const source = { kind: "stripe", name: "Billing", secrets: [`whsec_${"x".repeat(32)}`] };
  await put("sources/billing", { ...source, accounts: [{ account: "acct_1", tenant: "acme" }] });
  await put("sources/feed", {
    ...source,
    kind: "standard-webhooks",
    secrets: [`whsec_${Buffer.alloc(24, 1).toString("base64")}`],
    accounts: [{ account: "own", tenant: "acme" }],
  });
}, 300_000);
afterAll(() => web?.stop());
beforeEach(async () => {
  stripe = await startStripe({ clock: createClock(), target: null, apiKey: API_KEY, secret: "whsec_none" });
});
afterEach(() => stripe.stop());

const give = () =>
  web.call("PUT", "/api/v1/sources/billing/credentials", { apiKey: API_KEY, baseUrl: `${stripe.url}/` });
const window = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
});
const ask = (body: object = {}) =>
  web.call("POST", "/api/v1/reconciliations", { source: "billing", ...window(), repair: false, ...body });

describe("the API", () => {
  it("refuses what cannot be compared", async () => {
    expect((await ask({ source: "nobody" })).status).toBe(404);
    expect((await ask({ source: "feed" })).status).toBe(422);
    expect((await ask()).json.error.message).toContain("no credentials");
    await give();
    expect((await ask({ from: window().to, to: window().from })).status).toBe(422);
    expect((await ask({ from: "yesterday" })).status).toBe(400);
    expect((await ask({ surprise: 1 })).status).toBe(400);
    const id = "00000000-0000-7000-8000-000000000000";
    expect((await web.call("GET", `/api/v1/reconciliations/${id}`)).status).toBe(404);
    expect((await web.call("POST", `/api/v1/gaps/${id}/dismiss`, { reason: "x" })).status).toBe(404);
  });

  it("never gives a key back, and takes credentials away", async () => {
    const given = await give();
    expect(given.json.credentials).toMatchObject({ baseUrl: stripe.url });
    for (const path of ["/api/v1/sources", "/api/v1/sources/billing"])
      expect((await web.call("GET", path)).text).not.toContain(API_KEY);
    const path = "/api/v1/sources/billing/credentials";
    expect((await web.call("PUT", path, { apiKey: null })).json.credentials).toBeNull();
  });

  it("takes a run, shows how far it is, and lists its gaps in pages", async () => {
    await give();
    const lost = await Promise.all([1, 2, 3].map(() => stripe.pay({ customer: "cus_1" })));
    const { status, json: run } = await ask();
    expect(status).toBe(202);
    expect(run).toMatchObject({ source: "billing", status: "pending", isFull: false });
    expect(Date.parse(run.to)).toBeLessThanOrEqual(Date.now());
    // The web process works no runs: what a worker does, done here with the key of that process unknown, fails openly.
    await workRun(web.sql, workOptions());
    const failed = (await web.call("GET", `/api/v1/reconciliations/${run.id}`)).json;
    expect(failed).toMatchObject({ status: "failed", lastError: expect.stringContaining("credentials") });
    expect((await web.call("GET", "/api/v1/reconciliations?limit=1")).json.items).toHaveLength(1);
    expect((await web.call("GET", "/api/v1/gaps?status=open")).json.items).toEqual([]);
    expect(lost).toHaveLength(3);
  });

  it("cancels a run with a reason, once", async () => {
    await give();
    const { json: run } = await ask();
    const path = `/api/v1/reconciliations/${run.id}/cancel`;
    expect((await web.call("POST", path, {})).status).toBe(400);
    expect((await web.call("POST", path, { reason: "not now" })).json.status).toBe("cancelled");
    expect((await web.call("POST", path, { reason: "not now" })).status).toBe(200);
  });
});

describe("the command line", () => {
  const cli = async (...argv: string[]) => {
    const lines: string[] = [];
    const output = { out: (text: string) => lines.push(text), error: (text: string) => lines.push(text) };
    const code = await runCli(argv, { COUNTERFOIL_URL: web.url, ADMIN_TOKEN }, output);
    return { code, text: lines.join("\n") };
  };

  it("waits for the run and says what it came to", async () => {
    await give();
    const working = setInterval(() => void workRun(web.sql, workOptions()).catch(() => {}), 100);
    const { code, text } = await cli("reconcile", "billing");
    clearInterval(working);
    expect(code).toBe(1);
    expect(text).toMatch(/^Run .* failed: /);
  });

  it("wants a reason for a repair, a time that is one, and a source that can be compared", async () => {
    expect(await cli("reconcile", "billing", "--repair")).toMatchObject({ code: 2 });
    expect(await cli("reconcile", "billing", "--from", "yesterday")).toMatchObject({ code: 2 });
    expect(await cli("reconcile", "feed")).toMatchObject({ code: 1 });
    expect(await cli("restored", "--at", "2020-01-01T00:00:00Z")).toMatchObject({ code: 2 });
  });
});
