import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SourceKind } from "#db/states.ts";
import { testSource } from "#lib/api/endpoints/source-tools.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { writeSnippet } from "#lib/console/sender-snippet.ts";
import type { SenderContract } from "#lib/sources/contract-schema.ts";
import { adapterOf } from "#lib/sources/index.ts";
import { HMAC_CONTRACTS } from "#tests/support/hmac-contracts.ts";
import { startWebServer, type WebServer } from "#tests/support/next-server.ts";
import { SENDER_SECRET } from "#tests/support/senders.ts";

type Sender = { id: string; kind: SourceKind; secret: string; account: string; contract?: object };

const SENDERS: Sender[] = [
  { id: "stripe", kind: "stripe", secret: SENDER_SECRET, account: "acct_shop~test" },
  { id: "github", kind: "github", secret: SENDER_SECRET, account: "9919" },
  { id: "standard", kind: "standard-webhooks", secret: SENDER_SECRET, account: "own" },
  { id: "payments", kind: "payments", secret: SENDER_SECRET, account: "m'1 $(id)" },
  ...Object.values(HMAC_CONTRACTS).map((each, at) => ({
    id: `hmac-${at}`,
    kind: "hmac" as const,
    account: "shop",
    ...each,
  })),
];

let web: WebServer;
beforeAll(async () => {
  web = await startWebServer();
  for (const { id, kind, secret, account, contract } of SENDERS) {
    const accounts = [{ account, tenant: "t" }];
    const answer = await web.call("PUT", `/api/v1/sources/${id}`, {
      kind,
      name: id,
      secrets: [secret],
      accounts,
      ...(contract && { contract }),
    });
    expect(answer.status, answer.text).toBe(201);
  }
}, 300_000);
afterAll(async () => {
  const broken = web ? (await checkInvariants(web.sql)).filter(({ ok }) => !ok) : [];
  await web?.stop();
  expect(broken).toEqual([]);
});

const test = (id: string, body: object = {}) => web.call("POST", `/api/v1/sources/${id}/test`, body);

describe("a test event", () => {
  it.each(SENDERS)("of $id is taken by its receiver, and nothing comes of it", async ({ id, secret }) => {
    const { status, json, text } = await test(id, { reason: "after the set-up" });
    expect(status, text).toBe(200);
    expect(json).toMatchObject({ answer: { status: 200 }, event: expect.any(String) });
    expect(json.proves).toContain("no credits moved");
    testSource.answer.parse(json);
    expect(text).not.toContain(secret);
    const [row] = await web.sql`
      select source_id as source, event_id as "eventId", status, why, secret_fingerprint as secret from inbox_events
      where id = ${json.event}`;
    expect(row).toEqual({
      source: id,
      eventId: json.eventId,
      status: "ignored",
      why: "no effect takes this type",
      secret: json.secret,
    });
    const [audit] = await web.sql`
      select actor, reason, after from audit_entries where action = 'source.test' and target = ${`source:${id}`}`;
    expect(audit).toEqual({
      actor: "admin-token",
      reason: "after the set-up",
      after: { type: json.type, secret: json.secret, eventId: json.eventId },
    });
  });

  it("may be sent again and again: each is an event of its own", async () => {
    for (const { id } of SENDERS) expect((await test(id)).json.answer.body).toContain("ignored");
  });

  it.each([
    ["stripe", "invoice.paid", 422],
    ["payments", "TRANSACTION_SUCCEEDED", 422],
    ["payments", "TRANSACTION_FAILED", 422],
    ["hmac-3", "order.paid", 422],
    ["hmac-3", "not.in.the.catalogue", 422],
    ["github", "issues.opened", 422],
    ["nobody", undefined, 404],
  ])("of %s of type %s is refused, and nothing is sent or written", async (id, type, expected) => {
    const count = async () =>
      (
        await web.sql`select (select count(*) from inbox_events) as events, (select count(*) from audit_entries) as audit`
      )[0];
    const before = await count();
    const { status, json } = await test(id, { type });
    expect(status, json.error?.message).toBe(expected);
    expect(await count()).toEqual(before);
  });

  it("takes another type that nothing handles", async () => {
    const { json } = await test("stripe", { type: "customer.tax_id.created" });
    expect(json).toMatchObject({ type: "customer.tax_id.created", answer: { status: 200 } });
  });

  it("is signed with the newest secret", async () => {
    const before = (await test("standard")).json.secret;
    const secret = `whsec_${Buffer.from("the second secret of the tests").toString("base64")}`;
    const rotated = await web.call("POST", "/api/v1/sources/standard/secrets", { secret, overlapSeconds: 0 });
    const { json } = await test("standard");
    expect(json).toMatchObject({ answer: { status: 200 }, secret: rotated.json.secrets[0].fingerprint });
    expect(json.secret).not.toBe(before);
    await web.call("POST", "/api/v1/sources/standard/secrets", { secret: SENDER_SECRET, overlapSeconds: 0 });
  });

  it("without a usable secret, or a way to sign, is refused with the reason", async () => {
    const accounts = [{ account: "own", tenant: "t" }];
    await web.call("PUT", "/api/v1/sources/bare", { kind: "github", name: "b", accounts, secrets: [] });
    const bare = await test("bare");
    expect([bare.status, bare.json.error.message]).toEqual([
      409,
      expect.stringContaining("no usable secret"),
    ]);
    await web.call("PUT", "/api/v1/sources/unknown", {
      kind: "sinalio",
      name: "u",
      accounts,
      secrets: [SENDER_SECRET],
    });
    expect((await test("unknown")).json.error.message).toContain("Verification is not configured");
  });
});

const canRun = ["bash", "openssl", "curl"].every(
  (name) => spawnSync(name, ["--version"]).error === undefined,
);

describe.skipIf(!canRun)("the lines for a terminal", () => {
  it.each(SENDERS)(
    "of $id sign and send as its receiver wants it",
    ({ id, kind, secret, account, contract }) => {
      const checked = adapterOf(kind)!.checkContract?.(contract ?? null);
      const snippet = writeSnippet({
        url: `${web.url}/api/webhooks/${id}`,
        kind,
        contract: checked?.ok ? (checked.contract as SenderContract) : null,
        account: account.replace("~test", ""),
        mode: account.endsWith("~test") ? "test" : "live",
      });
      expect(snippet).not.toContain(secret);
      const run = spawnSync("bash", ["-c", snippet!], { input: `${secret}\n`, encoding: "utf8" });
      expect(run.stdout, `${snippet}\n${run.stderr}`).toMatch(/^\{"status":"ignored",/);
    },
  );
});
