import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decodeCursor } from "#lib/api/cursor.ts";
import { changeFeedback, type FeedbackChange } from "#lib/feedback/change-feedback.ts";
import { listFeedback } from "#lib/feedback/list-feedback.ts";
import { CHECKLIST } from "#lib/sources/contract-schema.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { addSource, findBroken, findEvent, send } from "#tests/support/senders.ts";

const CONTRACT = {
  version: 1,
  verification: { signature: { header: "X-Sig" } },
  event: {
    id: { path: "id" },
    type: { path: "type" },
    account: { path: "project", required: true },
    subject: "feedback.id",
  },
  types: {
    "feedback.created": { meaning: "Somebody wrote.", effect: "feedback-alert" },
    "feedback.escalated": { meaning: "It became urgent.", effect: "feedback-alert", role: "escalation" },
    "feedback.seen": { meaning: "Somebody read it.", effect: "feedback-alert", role: "link" },
    ping: { meaning: "Nothing." },
  },
  feedback: { category: "feedback.category", text: ["feedback.text", "feedback.message"], level: "level" },
  delivery: { timeoutSeconds: 10, retryWindowHours: 24, replay: { by: "none" } },
  confirmed: [...CHECKLIST],
};

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  await addSource(database.sql, {
    id: "voices",
    kind: "sinalio",
    contract: CONTRACT,
    accounts: [{ account: "p1" }, { account: "p2" }],
  });
});
afterEach(async () => {
  expect(await findBroken(database.sql)).toEqual([]);
  await database.drop();
});

async function tell(id: string, type: string, more: object = {}) {
  const body = {
    id,
    type,
    project: "p1",
    feedback: { id: "fb_1", category: "bug", text: "It\u0000 broke" },
    ...more,
  };
  const { answer } = await send(product, "voices", { body: JSON.stringify(body) });
  await product.workUntilIdle();
  return findEvent(database.sql, answer.event);
}

const alerts = async () =>
  (
    await database.sql`select account, feedback_id as feedback, operation from feedback_alerts order by operation, account`
  ).map((row) => ({ ...row }));

describe("feedback of a sender whose contract names its types", () => {
  it("is stored with one alert, whatever the number of events that tell it", async () => {
    expect(await tell("e1", "feedback.created")).toMatchObject({
      status: "done",
      outcome: "applied",
      subject: "fb_1",
    });
    expect(await tell("e2", "feedback.created")).toMatchObject({ outcome: "already_applied" });
    expect(await alerts()).toEqual([{ account: "p1", feedback: "fb_1", operation: "initial-alert" }]);
    const [stored] = await database.sql`select tenant_id as tenant, status, category, text from feedback`;
    expect(stored).toEqual({ tenant: "acme", status: "new", category: "bug", text: "It\ufffd broke" });
  });

  it("in one batch is one alert as well", async () => {
    const body = (id: string) =>
      JSON.stringify({ id, type: "feedback.created", project: "p1", feedback: { id: "fb_1" } });
    for (const id of ["e1", "e2", "e3"]) await send(product, "voices", { body: body(id) });
    await product.workUntilIdle();
    const outcomes = await database.sql`select outcome from inbox_events order by received_at, id`;
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["applied", "already_applied", "already_applied"]);
    expect(await alerts()).toHaveLength(1);
  });

  it("of two projects with one id is two", async () => {
    await tell("e1", "feedback.created");
    await tell("e2", "feedback.created", { project: "p2" });
    expect(await alerts()).toHaveLength(2);
  });

  it("escalates under keys of their own, also before the feedback itself was told", async () => {
    await tell("e1", "feedback.escalated", { level: "high" });
    await tell("e2", "feedback.escalated", { level: "high" });
    await tell("e3", "feedback.escalated", { level: "critical" });
    await tell("e4", "feedback.escalated");
    await tell("e5", "feedback.created");
    expect((await alerts()).map(({ operation }) => operation)).toEqual([
      "escalation:critical",
      "escalation:e4",
      "escalation:high",
      "initial-alert",
    ]);
    const [stored] = await database.sql`select status from feedback`;
    expect(stored).toEqual({ status: "escalated" });
  });

  it("is linked by types that make no alert, and what nobody takes is ignored", async () => {
    expect(await tell("e1", "feedback.seen")).toMatchObject({ outcome: "linked" });
    expect(await alerts()).toEqual([]);
    expect(await tell("e2", "ping")).toMatchObject({ status: "ignored" });
  });

  it("without an id is for a person", async () => {
    expect(await tell("e1", "feedback.created", { feedback: {} })).toMatchObject({
      status: "failed",
      failureClass: "invalid",
    });
  });
});

describe("the feedback board", () => {
  const actor = { name: "ada@acme.example", scopes: [] } as never;
  const key = { source: "voices", project: "p1", feedback: "fb_1" };
  const change = (version: number, what: FeedbackChange) =>
    changeFeedback(database.sql, actor, key, version, what);

  it("shows what came, newest first, page by page, and each with its alerts", async () => {
    for (let at = 0; at < 5; at++) await tell(`e${at}`, "feedback.created", { feedback: { id: `fb_${at}` } });
    await tell("e9", "feedback.escalated", { feedback: { id: "fb_3" }, level: "high" });
    const first = await listFeedback(database.sql, {}, 3, null);
    const second = await listFeedback(database.sql, {}, 3, decodeCursor(first.nextCursor!));
    const seen = [...first.items, ...second.items].map(({ feedback }) => feedback);
    expect(seen).toEqual(["fb_4", "fb_3", "fb_2", "fb_1", "fb_0"]);
    expect(first.items[1]).toMatchObject({
      status: "escalated",
      alerts: [{ operation: "initial-alert" }, { operation: "escalation:high" }],
    });
    expect((await listFeedback(database.sql, { status: "escalated" }, 3, null)).items).toHaveLength(1);
  });

  it("is moved by people, each change with its audit entry, and on what was shown", async () => {
    await tell("e1", "feedback.created");
    expect(await change(0, { do: "acknowledge" })).toEqual({ ok: true, value: 1 });
    expect(await change(0, { do: "resolve" })).toMatchObject({ ok: false, problem: { code: "conflict" } });
    expect(await change(1, { do: "assign", assignee: "ada" })).toEqual({ ok: true, value: 2 });
    expect(await change(2, { do: "resolve" })).toEqual({ ok: true, value: 3 });
    expect(await change(3, { do: "resolve" })).toMatchObject({ ok: false });
    expect(await change(3, { do: "reopen" })).toEqual({ ok: true, value: 4 });
    const audit =
      await database.sql`select action from audit_entries where action like 'feedback.%' order by id`;
    expect(audit.map(({ action }) => action)).toEqual([
      "feedback.acknowledge",
      "feedback.assign",
      "feedback.resolve",
      "feedback.reopen",
    ]);
  });

  it("does not let a person's change undo an escalation that came meanwhile", async () => {
    await tell("e1", "feedback.created");
    await tell("e2", "feedback.escalated", { level: "high" });
    expect(await change(0, { do: "acknowledge" })).toMatchObject({
      ok: false,
      problem: { message: "Meanwhile it is escalated. Look at it again." },
    });
  });
});
