import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listOperations } from "#lib/api/reads/operations.ts";
import { cancelOperation } from "#lib/operations/cancel.ts";
import { forgetFrozen, freezeOperation } from "#lib/operations/freeze.ts";
import { runOperations } from "#lib/operations/run-operations.ts";
import { startOperation } from "#lib/operations/start.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { ask, look } from "#tests/support/operations.ts";
import { codeOf, listAudited, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { findBroken } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql, { linked: false });
});
afterEach(async () => {
  const broken = await findBroken(database.sql);
  await database.drop();
  expect(broken).toEqual([]);
});

/** Events that wait for a link. */
async function deliver(count: number, invoice: Record<string, unknown> = {}): Promise<string[]> {
  const events = Array.from({ length: count }, () => stripeEvent({}, stripeInvoice(invoice)));
  const answers = await Promise.all(events.map((event) => product.deliver(event)));
  await product.workUntilIdle();
  return answers.map(({ answer }) => answer.event);
}

const freeze = (action: string, filter: Record<string, unknown>, actor = tester) =>
  freezeOperation(database.sql, actor, ask(action, filter));

async function drain(): Promise<void> {
  while ((await runOperations(database.sql)) > 0);
}

async function statuses(): Promise<Record<string, number>> {
  const rows = await database.sql`select status, count(*)::int as events from inbox_events group by 1`;
  return Object.fromEntries(rows.map(({ status, events }) => [status, events]));
}

describe("a dry run", () => {
  it("counts exactly, does nothing, and is forgotten when nobody starts it", async () => {
    await deliver(7);
    const frozen = unwrap(await freeze("dismiss", { status: "waiting" }));
    expect(frozen.count).toBe(7);
    await drain();
    expect(await statuses()).toEqual({ waiting: 7 });
    expect((await listOperations(database.sql, 10, null)).items).toEqual([]);
    expect(await forgetFrozen(database.sql)).toBe(0);
    await database.sql`update operations set token_expires_at = now() - interval '2 minutes'`;
    expect(await forgetFrozen(database.sql)).toBe(1);
    const [rows] = await database.sql`select count(*)::int as items from operation_items`;
    expect(rows).toEqual({ items: 0 });
    expect(await listAudited(database.sql)).toEqual([]);
  });

  it.each([
    ["an empty filter", {}],
    ["a filter that nothing matches", { subject: "in_nobody" }],
    ["an unknown condition", { colour: "red" }],
    ["a state that there is not", { status: "running" }],
    ["no ids", { ids: [] }],
  ])("is refused for %s", async (_, filter) => {
    await deliver(1);
    expect(codeOf(await freeze("dismiss", filter))).toBe("unacceptable");
    const [row] = await database.sql`select count(*)::int as operations from operations`;
    expect(row).toEqual({ operations: 0 });
  });

  it("covers what matches all of its filter", async () => {
    const [first, second] = await deliver(3);
    await deliver(2, { amount_paid: "1000" });
    const count = async (filter: Record<string, unknown>) => unwrap(await freeze("retry", filter)).count;
    expect(await count({ ids: [first, second] })).toBe(2);
    expect(await count({ ids: [first, second], status: "failed" }).catch(() => 0)).toBe(0);
    expect(await count({ status: "failed", source: "stripe", account: "acct_acme" })).toBe(2);
    expect(await count({ type: "invoice.*" })).toBe(5);
    expect(await count({ q: first })).toBe(1);
    expect(await count({ since: "2020-01-01T00:00:00Z", until: "2100-01-01T00:00:00+02:00" })).toBe(5);
  });
});

describe("a start", () => {
  const request = ask("dismiss", { status: "waiting" });

  it("wants the token, from the one whom it was given to, for the same words and the same number", async () => {
    await deliver(3);
    const { token } = unwrap(await freezeOperation(database.sql, tester, request));
    const start = (change: object, actor = tester) =>
      startOperation(database.sql, actor, { ...request, token, ...change });
    expect(codeOf(await start({ token: "made-up" }))).toBe("conflict");
    expect(codeOf(await start({}, { ...tester, name: "somebody else" }))).toBe("conflict");
    expect(codeOf(await start({ reason: "another" }))).toBe("conflict");
    expect(codeOf(await start({ action: "retry" }))).toBe("conflict");
    expect(codeOf(await start({ filter: { status: "failed" } }))).toBe("conflict");
    expect(codeOf(await start({ count: 4 }))).toBe("conflict");
    expect(unwrap(await start({ count: 3 })).count).toBe(3);
  });

  it("twice is once, also at the same moment", async () => {
    await deliver(3);
    const { token } = unwrap(await freezeOperation(database.sql, tester, request));
    const starts = await Promise.all(
      Array.from({ length: 5 }, () => startOperation(database.sql, tester, { ...request, token })),
    );
    expect(new Set(starts.map((start) => JSON.stringify(unwrap(start)))).size).toBe(1);
    expect(await listAudited(database.sql)).toEqual(["operation.start"]);
  });

  it("after fifteen minutes is refused", async () => {
    await deliver(1);
    const { token } = unwrap(await freezeOperation(database.sql, tester, request));
    await database.sql`update operations set token_expires_at = now()`;
    expect(codeOf(await startOperation(database.sql, tester, { ...request, token }))).toBe("conflict");
  });

  it("waits five seconds, in which it can be undone as if it had not been", async () => {
    await deliver(3);
    const { token, operation } = unwrap(await freezeOperation(database.sql, tester, request));
    unwrap(await startOperation(database.sql, tester, { ...request, token }));
    expect(await runOperations(database.sql)).toBe(0);
    expect((await look(database.sql, operation)).status).toBe("scheduled");
    expect(unwrap(await cancelOperation(database.sql, tester, { id: operation }))).toMatchObject({
      undone: true,
    });
    await database.sql`update operations set starts_at = now()`;
    await drain();
    expect(await statuses()).toEqual({ waiting: 3 });
    expect(await look(database.sql, operation)).toMatchObject({
      status: "undone",
      settled: 0,
      cancelledBy: "tester",
    });
    expect(await cancelOperation(database.sql, tester, { id: operation })).toMatchObject({
      ok: false,
      problem: { code: "conflict", state: "cancelled" },
    });
    expect(codeOf(await startOperation(database.sql, tester, { ...request, token }))).toBe("conflict");
    expect(await listAudited(database.sql)).toEqual(["operation.start", "operation.undo"]);
  });
});
