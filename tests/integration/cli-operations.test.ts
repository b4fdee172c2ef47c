import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "#lib/cli/run-cli.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { runOperations } from "#lib/operations/run-operations.ts";
import { ADMIN_TOKEN, startWebServer, type WebServer } from "#tests/support/next-server.ts";
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
  await web.call("PUT", "/api/v1/workspaces/ws_shop", { tenant: "shop", name: "Shop" });
}, 300_000);
afterAll(async () => {
  const broken = web ? await findBroken(web.sql) : [];
  await web?.stop();
  expect(broken).toEqual([]);
});

async function work(): Promise<void> {
  while ((await processBatch(web.sql, { limit: 100 }, uuidv7())).claimed > 0);
}

/** An event whose customer nobody has linked. */
async function deliver(): Promise<string> {
  const body = JSON.stringify(stripeEvent({}, stripeInvoice({ customer: "cus_nobody" })));
  const headers = { "stripe-signature": signStripe(body, SECRET) };
  const { json } = await web.send("/api/webhooks/shop", { method: "POST", body, headers });
  await work();
  return json.event;
}

async function cli(...line: string[]) {
  const said = { out: "", error: "" };
  const env = { PORT: String(web.port), DATA_DIR: "/nowhere", ADMIN_TOKEN };
  const exit = await runCli(line, env, {
    out: (text) => {
      said.out += `${text}\n`;
    },
    error: (text) => {
      said.error += `${text}\n`;
    },
  });
  return { exit, ...said };
}

it("resolve closes an event, and is refused for one that is closed", async () => {
  const id = await deliver();
  const line = ["resolve", id, "--decision", "dismiss", "--reason", "tidy"];
  expect(await cli(...line)).toMatchObject({ exit: 0, out: "dismissed: dismissed by admin-token: tidy\n" });
  expect(await cli(...line)).toMatchObject({ exit: 1, error: expect.stringContaining("(409)") });
  expect((await cli("resolve", id, "--decision", "dismiss")).exit).toBe(2);
});

it("correct is taken once per key, and its credits are there", async () => {
  const line = ["correct", "ws_shop", "--key", "t-1", "--amount=-30", "--reason", "agreed"];
  const given = ["correct", "ws_shop", "--key", "t-0", "--amount=50", "--reason", "welcome"];
  expect((await cli(...given)).exit).toBe(0);
  await work();
  const first = await cli(...line);
  expect(first).toMatchObject({ exit: 0, out: expect.stringMatching(/^accepted: /) });
  expect((await cli(...line)).out).toBe(first.out.replace("accepted", "duplicate"));
  expect((await cli(...line.slice(0, 4), "--amount=-31", "--reason", "agreed")).exit).toBe(1);
  expect((await cli(...line.slice(0, 4), "--amount=some", "--reason", "x")).exit).toBe(2);
  await work();
  expect((await web.call("GET", "/api/v1/workspaces/ws_shop")).json.creditBalance).toBe(20);
});

it("operations count first, start with that very number, and are shown row by row", async () => {
  const id = await deliver();
  const start = ["operations", "start", "replay", "--status", "waiting", "--reason", "try them"];
  expect(await cli(...start)).toMatchObject({ exit: 0, out: "1 match. To start it, add --count 1.\n" });
  expect((await cli(...start, "--count", "2")).exit).toBe(1);
  expect((await cli("operations", "start", "replay", "--reason", "everything")).exit).toBe(1);
  const started = await cli(...start, "--count", "1");
  const operation = /^(\S+) starts at/.exec(started.out)![1]!;
  await web.sql`update operations set starts_at = now() where id = ${operation}`;
  while ((await runOperations(web.sql)) > 0);
  const shown = await cli("operations", "show", operation);
  expect(shown.out).toContain(
    "replay, done: 1 of 1\nby admin-token: try them\nof state waiting\n  1 blocked",
  );
  expect(shown.out).toContain(id);
  expect((await cli("operations", "list")).out).toContain(operation);
  expect((await cli("operations", "cancel", operation)).exit).toBe(1);
});
