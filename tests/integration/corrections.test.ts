import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Correction, correctCredits } from "#lib/admin/correct-credits.ts";
import { listSources } from "#lib/admin/describe-source.ts";
import { putPaymentLink } from "#lib/admin/put-payment-link.ts";
import { putSource } from "#lib/admin/put-source.ts";
import { putWorkspace } from "#lib/admin/put-workspace.ts";
import { correctCredits as endpoint } from "#lib/api/endpoints/corrections.ts";
import { sourceSettings } from "#lib/sources/settings.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, listAudited, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

const correct = (change: Partial<Correction> = {}) =>
  correctCredits(database.sql, tester, {
    workspace: "ws_acme",
    key: "ticket-1",
    amount: -30,
    reason: "agreed with the customer",
    ...change,
  });

describe("a correction", () => {
  it("is an event of the built-in source, under the tenant's own account", async () => {
    const { status, event } = unwrap(await correct());
    expect(status).toBe("accepted");
    const row = await findEvent(database.sql, event);
    expect(row).toMatchObject({
      source: "manual",
      account: "acme",
      eventId: "ticket-1",
      subject: "ticket-1",
      type: "credit.correction",
      mode: "live",
      status: "pending",
    });
    expect(JSON.parse(row.body)).toEqual({
      workspace: "ws_acme",
      amount: -30,
      reason: "agreed with the customer",
    });
    const [audit] = await database.sql`select * from audit_entries`;
    expect(audit).toMatchObject({
      actor: "tester",
      action: "workspace.correct",
      target: "workspace:ws_acme",
      reason: "agreed with the customer",
      after: { key: "ticket-1", amount: -30, event },
    });
  });

  it("with the same key is the same one, and another under that key is a conflict", async () => {
    const first = unwrap(await correct());
    expect(unwrap(await correct())).toEqual({ status: "duplicate", event: first.event });
    unwrap(
      await putWorkspace(database.sql, tester, { id: "ws_two", tenant: "acme", name: "Two", contact: null }),
    );
    for (const change of [{ amount: -31 }, { reason: "another" }, { workspace: "ws_two" }])
      expect(codeOf(await correct(change))).toBe("conflict");
    // Another tenant's keys are its own.
    expect(unwrap(await correct({ workspace: "ws_other" })).status).toBe("accepted");
    expect(await listAudited(database.sql)).toEqual([
      "workspace.correct",
      "workspace.create",
      "workspace.correct",
    ]);
  });

  it("sent ten times at once is there once", async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => correct()));
    const results = answers.map((answer) => unwrap(answer));
    expect(new Set(results.map(({ event }) => event)).size).toBe(1);
    expect(results.filter(({ status }) => status === "accepted")).toHaveLength(1);
    expect(await listAudited(database.sql)).toEqual(["workspace.correct"]);
  });

  it("of a workspace that there is not is not found, and makes nothing", async () => {
    expect(codeOf(await correct({ workspace: "ws_nobody" }))).toBe("not_found");
    expect(await database.sql`select id from sources where kind = 'manual'`).toHaveLength(0);
  });

  it("of a tenant that is spelled like an account in test mode is kept as such", async () => {
    await putWorkspace(database.sql, tester, { id: "ws_t", tenant: "acme~test", name: "T", contact: null });
    const { event } = unwrap(await correct({ workspace: "ws_t" }));
    expect(await findEvent(database.sql, event)).toMatchObject({ account: "acme~test", mode: "test" });
  });

  it.each([0, 1.5, 2 ** 53, "5", null])("of %s credits is refused", (amount) => {
    expect(endpoint.body.safeParse({ key: "k", amount, reason: "x" }).success).toBe(false);
  });
});

describe("the built-in source", () => {
  it("takes no webhook, is no sender to set up, and its name is not to be had", async () => {
    unwrap(await correct());
    expect((await product.post("manual", "{}")).status).toBe(404);
    expect((await listSources(database.sql)).map(({ id }) => id)).toEqual(["stripe"]);
    const request = {
      kind: "stripe" as const,
      name: "Mine",
      accounts: [{ account: "acct_x", tenant: "acme", mode: "live" as const, own: false }],
      settings: sourceSettings.parse({}),
    };
    expect(codeOf(await putSource(database.sql, tester, SECRET_KEY, { ...request, id: "manual" }))).toBe(
      "unacceptable",
    );
  });
});

describe("a payment link", () => {
  const link = { source: "stripe", account: "acct_acme", payment: "pi_1", invoice: "in_1" };
  const put = (change: object = {}) => putPaymentLink(database.sql, tester, { ...link, ...change });

  it("releases what waits for it, and the same again changes nothing", async () => {
    const { answer } = await product.deliver(stripeEvent({}, stripeInvoice()));
    await database.sql`
      update inbox_events set status = 'waiting', waits_kind = 'link', waits_key = 'pi_1', next_attempt_at = null
      where id = ${answer.event}`;
    expect(unwrap(await put({ payment: "pi_2" }))).toEqual({ created: true, released: 0 });
    expect(unwrap(await put())).toEqual({ created: true, released: 1 });
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ status: "pending" });
    expect(unwrap(await put())).toEqual({ created: false, released: 0 });
    expect(await listAudited(database.sql)).toEqual(["payment-link.create", "payment-link.create"]);
    await product.workUntilIdle();
  });

  it("to a second invoice is refused, also of two at once, and so is an unknown account", async () => {
    const outcomes = await Promise.all([put({ invoice: "in_a" }), put({ invoice: "in_b" })]);
    expect(outcomes.map(codeOf).sort()).toEqual(["conflict", "ok"]);
    expect(codeOf(await put({ account: uuidv7() }))).toBe("unacceptable");
  });
});
