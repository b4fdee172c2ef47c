import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getConflicts } from "#lib/api/endpoints/conflicts.ts";
import { startWebServer, type WebServer } from "#tests/support/next-server.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const SECRET = `whsec_${"c".repeat(32)}`;

let web: WebServer;
beforeAll(async () => {
  web = await startWebServer();
  const accounts = [{ account: "acct_shop", tenant: "t" }];
  await web.call("PUT", "/api/v1/sources/shop", {
    kind: "stripe",
    name: "Shop",
    secrets: [SECRET],
    accounts,
  });
}, 300_000);
afterAll(() => web?.stop());

async function deliver(amount: number, digits = "1"): Promise<string> {
  const event = stripeEvent({ id: "evt_one" }, stripeInvoice({ id: "in_one", amount_paid: amount, n: "@@" }));
  const body = JSON.stringify(event).replace('"@@"', digits);
  const headers = { "stripe-signature": signStripe(body, SECRET) };
  return (await web.send("/api/webhooks/shop", { method: "POST", body, headers })).json.event;
}

describe("GET /api/v1/inbox/{id}/conflicts", () => {
  it("has none for an event that always said the same", async () => {
    const id = await deliver(1000);
    await deliver(1000);
    const { json } = await web.call("GET", `/api/v1/inbox/${id}/conflicts`);
    expect(json.conflicts).toEqual([]);
    expect(JSON.parse(json.first.body.text).data.object.amount_paid).toBe(1000);
  });

  it("shows each other content once, newest first, with its digits and how often it came", async () => {
    const id = await deliver(1000);
    await deliver(2000, "12345678901234567890.10");
    await deliver(2000, "12345678901234567890.10");
    await deliver(3000);
    const { json } = await web.call("GET", `/api/v1/inbox/${id}/conflicts`);
    getConflicts.answer.parse(json);
    const said = json.conflicts.map((each: { seen: number; body: { text: string } }) => [
      each.seen,
      /"amount_paid":(\d+)/.exec(each.body.text)?.[1],
    ]);
    expect(said).toEqual([
      [1, "3000"],
      [2, "2000"],
    ]);
    expect(json.conflicts[1]).toMatchObject({
      why: "the same event id came with other content",
      resolvedAt: null,
    });
    expect(json.conflicts[1].body.text).toContain("12345678901234567890.10");
    expect(json.first.body.text).toContain('"amount_paid":1000');
  });

  it("is told without a body once that has expired, and not without a token", async () => {
    const id = await deliver(1000);
    await web.sql`delete from inbox_bodies where inbox_event_id = ${id}`;
    expect((await web.call("GET", `/api/v1/inbox/${id}/conflicts`)).json.first.body).toBeNull();
    expect((await web.call("GET", `/api/v1/inbox/${uuidv7()}/conflicts`)).status).toBe(404);
    expect((await web.call("GET", "/api/v1/inbox/x/conflicts")).status).toBe(400);
    expect((await web.send(`/api/v1/inbox/${id}/conflicts`)).status).toBe(401);
  });
});
