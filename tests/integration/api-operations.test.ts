import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  getOperation,
  listOperationItems,
  listOperations,
  postOperation,
} from "#lib/api/endpoints/operations.ts";
import { resolveEvent } from "#lib/api/endpoints/resolve.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { runOperations } from "#lib/operations/run-operations.ts";
import { startWebServer, type WebServer } from "#tests/support/next-server.ts";
import { findBroken } from "#tests/support/senders.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const SECRET = `whsec_${"c".repeat(32)}`;

let web: WebServer;
beforeAll(async () => {
  web = await startWebServer();
  const accounts = [{ account: "acct_shop", tenant: "shop" }];
  await web.call("PUT", "/api/v1/sources/shop", {
    kind: "stripe",
    name: "Shop",
    secrets: [SECRET],
    accounts,
  });
}, 300_000);
afterAll(async () => {
  const broken = web ? await findBroken(web.sql) : [];
  await web?.stop();
  expect(broken).toEqual([]);
});

async function deliver(customer = "cus_nobody"): Promise<string> {
  const body = JSON.stringify(stripeEvent({}, stripeInvoice({ customer })));
  const headers = { "stripe-signature": signStripe(body, SECRET) };
  const { json } = await web.send("/api/webhooks/shop", { method: "POST", body, headers });
  await work();
  return json.event;
}

async function work(): Promise<void> {
  while ((await processBatch(web.sql, { limit: 100 }, uuidv7())).claimed > 0);
}

describe("POST /api/v1/inbox/{id}/resolve", () => {
  it("closes an event, and says the present state of one that is closed", async () => {
    const id = await deliver();
    const path = `/api/v1/inbox/${id}/resolve`;
    const done = await web.call("POST", path, { decision: "dismiss", reason: "tried by hand" });
    expect(done.status).toBe(200);
    expect(resolveEvent.answer.parse(done.json)).toMatchObject({ event: id, status: "dismissed" });
    const again = await web.call("POST", path, { decision: "retry", reason: "after all" });
    expect(again).toMatchObject({ status: 409, json: { error: { code: "conflict", state: "dismissed" } } });
    expect((await web.call("POST", path, { decision: "dismiss" })).status).toBe(400);
    expect((await web.call("POST", path, { decision: "burn", reason: "x" })).status).toBe(400);
    const unknown = `/api/v1/inbox/${uuidv7()}/resolve`;
    expect((await web.call("POST", unknown, { decision: "retry", reason: "x" })).status).toBe(404);
    expect((await web.send(path, { method: "POST", body: { decision: "retry", reason: "x" } })).status).toBe(
      401,
    );
  });
});

describe("/api/v1/operations", () => {
  const request = { action: "dismiss", filter: { status: "waiting" }, reason: "spring cleaning" };

  it("goes from a dry run through its token to the verdicts of each row", async () => {
    const ids = [await deliver(), await deliver()];
    const dry = await web.call("POST", "/api/v1/operations", { ...request, dryRun: true });
    expect(dry.status).toBe(200);
    const frozen = postOperation.answer.parse(dry.json);
    expect(frozen).toMatchObject({ count: 2, startsAt: null });
    const late = await deliver();

    const start = { ...request, token: frozen.token };
    expect((await web.call("POST", "/api/v1/operations", { ...start, count: 3 })).status).toBe(409);
    const started = await web.call("POST", "/api/v1/operations", { ...start, count: 2 });
    expect(started).toMatchObject({
      status: 202,
      json: { operation: frozen.operation, count: 2, token: null },
    });
    const path = `/api/v1/operations/${frozen.operation}`;
    expect(getOperation.answer.parse((await web.call("GET", path)).json)).toMatchObject({
      status: "scheduled",
      filterWords: "state waiting",
      settled: 0,
    });

    await web.sql`update operations set starts_at = now() where id = ${frozen.operation}`;
    while ((await runOperations(web.sql)) > 0);
    expect((await web.call("GET", path)).json).toMatchObject({ status: "done", verdicts: { dismissed: 2 } });
    const items = listOperationItems.answer.parse(
      (await web.call("GET", `${path}/items?verdict=dismissed`)).json,
    );
    expect(items.items.map(({ event }) => event)).toEqual(ids);
    const [row] = await web.sql`select status from inbox_events where id = ${late}`;
    expect(row?.status).toBe("waiting");
    const list = listOperations.answer.parse((await web.call("GET", "/api/v1/operations")).json);
    expect(list.items[0]).toMatchObject({
      id: frozen.operation,
      actor: "admin-token",
      reason: request.reason,
    });
    expect((await web.call("POST", `${path}/cancel`, {})).status).toBe(409);
  });

  it("is undone with a cancel before its start", async () => {
    await deliver();
    const { json } = await web.call("POST", "/api/v1/operations", { ...request, dryRun: true });
    await web.call("POST", "/api/v1/operations", { ...request, token: json.token });
    const cancelled = await web.call("POST", `/api/v1/operations/${json.operation}/cancel`, {
      reason: "oops",
    });
    expect(cancelled).toMatchObject({ status: 200, json: { undone: true } });
  });

  it.each([
    ["neither dry run nor token", {}, 422],
    ["both", { dryRun: true, token: "x" }, 422],
    ["an empty filter", { filter: {}, dryRun: true }, 422],
    ["an unknown condition", { filter: { colour: "red" }, dryRun: true }, 400],
    ["an unknown action", { action: "explode", dryRun: true }, 400],
    ["no reason", { reason: "", dryRun: true }, 400],
    ["a token of nobody", { token: "x" }, 409],
  ])("refuses %s", async (_, change, status) => {
    expect((await web.call("POST", "/api/v1/operations", { ...request, ...change })).status).toBe(status);
  });

  it("does not find what is not there, and answers nobody without a token", async () => {
    const path = `/api/v1/operations/${uuidv7()}`;
    for (const each of [path, `${path}/items`]) expect((await web.call("GET", each)).status).toBe(404);
    expect((await web.call("POST", `${path}/cancel`, {})).status).toBe(404);
    expect((await web.send("/api/v1/operations")).status).toBe(401);
    expect((await web.send("/api/v1/operations", { method: "POST", body: request })).status).toBe(401);
  });
});
