import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ResolveRequest, resolveEvent } from "#lib/inbox/resolve.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, linkCustomer, listAudited, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { addSource, findBroken, findEvent, send } from "#tests/support/senders.ts";
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

const resolve = (id: string, rest: Partial<ResolveRequest>) =>
  resolveEvent(database.sql, tester, { id, decision: "retry", reason: "a test", ...rest });

const paid = (overrides: object = {}) => stripeEvent({}, stripeInvoice({ ...overrides }));

/** An event that ended as the worker leaves it. */
async function deliver(event: object): Promise<string> {
  const { answer } = await product.deliver(event);
  await product.workUntilIdle();
  return answer.event;
}

const failed = () => deliver(paid({ amount_paid: "1000" }));
const waiting = () => deliver(paid());

async function done(): Promise<string> {
  await linkCustomer(database.sql);
  return await deliver(paid());
}

async function attemptsOf(id: string): Promise<number> {
  const [row] = await database.sql`
    select attempts, (select count(*)::int from inbox_attempts where inbox_event_id = e.id) as rows
    from inbox_events e where id = ${id}`;
  expect(row!.attempts).toBe(row!.rows);
  return row!.attempts;
}

describe("a retry", () => {
  it("starts a new round for a failed event, and its history stays", async () => {
    const id = await failed();
    expect(unwrap(await resolve(id, { reason: "the sender fixed it" }))).toMatchObject({
      status: "pending",
      why: "armed again by tester: the sender fixed it",
    });
    expect(await attemptsOf(id)).toBe(1);
    await product.workUntilIdle();
    expect(await findEvent(database.sql, id)).toMatchObject({ status: "failed", failureClass: "invalid" });
    expect(await attemptsOf(id)).toBe(2);
    const [audit] = await database.sql`select * from audit_entries`;
    expect(audit).toMatchObject({
      actor: "tester",
      action: "inbox.retry",
      target: `inbox:${id}`,
      reason: "the sender fixed it",
      before: { status: "failed", failureClass: "invalid" },
      after: { status: "pending" },
    });
  });

  it("gives a round that was used up a whole new one", async () => {
    const id = await failed();
    await database.sql`
      update inbox_events set failure_class = 'exhausted', attempts = 200, round_attempts = 200,
        round_started_at = now() - interval '80 hours' where id = ${id}`;
    unwrap(await resolve(id, {}));
    const [row] = await database.sql`
      select attempts, round_attempts, round_started_at, failure_class, next_attempt_at <= now() as due
      from inbox_events where id = ${id}`;
    expect(row).toEqual({
      attempts: 200,
      round_attempts: 0,
      round_started_at: null,
      failure_class: null,
      due: true,
    });
    await database.sql`update inbox_events set attempts = 1 where id = ${id}`;
  });

  it("of what waits is another try, which waits again when nothing has come", async () => {
    const id = await waiting();
    unwrap(await resolve(id, {}));
    await product.workUntilIdle();
    expect(await findEvent(database.sql, id)).toMatchObject({ status: "waiting", waitsKind: "link" });
    await linkCustomer(database.sql);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(100n);
  });

  it("is refused where there is nothing to try, and says the present state", async () => {
    const id = await done();
    const outcome = await resolve(id, {});
    expect(outcome).toMatchObject({ ok: false, problem: { code: "conflict", state: "done" } });
    expect(codeOf(await resolve(uuidv7(), {}))).toBe("not_found");
    expect(await product.balance()).toBe(100n);
  });

  it("does not pass by a contract that nobody has confirmed", async () => {
    const id = await waiting();
    await database.sql`update inbox_events set waits_kind = 'contract' where id = ${id}`;
    expect(await resolve(id, {})).toMatchObject({ ok: false, problem: { state: "waiting" } });
  });

  it("of a body that cannot be used is refused for as long as it cannot", async () => {
    const id = await deliver([1, 2]);
    expect(await findEvent(database.sql, id)).toMatchObject({ status: "quarantined" });
    for (const decision of ["retry", "accept_content"] as const)
      expect(await resolve(id, { decision })).toMatchObject({
        ok: false,
        problem: { code: "conflict", message: expect.stringContaining("still cannot be used") },
      });
    expect(await listAudited(database.sql)).toEqual([]);
    unwrap(await resolve(id, { decision: "dismiss" }));
  });
});

describe("a dismissal", () => {
  it.each([
    ["failed", failed],
    ["waiting", waiting],
  ])("closes what %s, for good and with its reason", async (_, make) => {
    const id = await make();
    unwrap(await resolve(id, { decision: "dismiss", reason: "refunded by hand" }));
    expect(await findEvent(database.sql, id)).toMatchObject({
      status: "dismissed",
      why: "dismissed by tester: refunded by hand",
    });
    await linkCustomer(database.sql);
    for (const decision of ["retry", "dismiss", "accept_content"] as const)
      expect(await resolve(id, { decision })).toMatchObject({ ok: false, problem: { state: "dismissed" } });
    await product.workUntilIdle();
    expect(await product.balance()).toBe(0n);
    expect(await listAudited(database.sql)).toEqual(["inbox.dismiss", "customer-link.create"]);
  });

  it("is refused for what is done, and while a worker is at it", async () => {
    const id = await done();
    expect(await resolve(id, { decision: "dismiss" })).toMatchObject({
      ok: false,
      problem: { state: "done" },
    });
    const running = (await product.deliver(paid())).answer.event;
    const worker = await database.sql.reserve();
    await worker`begin`;
    await worker`select from inbox_events where id = ${running} for update`;
    expect(await resolve(running, { decision: "dismiss" })).toMatchObject({
      ok: false,
      problem: { code: "conflict", state: "busy" },
    });
    await worker`rollback`;
    worker.release();
    await product.workUntilIdle();
  });

  it("from a page that is out of date is refused", async () => {
    const id = await failed();
    const seen = { status: "failed" as const, attempts: 1 };
    unwrap(await resolve(id, { expect: seen }));
    expect(await resolve(id, { decision: "dismiss", expect: seen })).toMatchObject({
      ok: false,
      problem: { code: "conflict", state: "pending" },
    });
    await product.workUntilIdle();
    expect(await resolve(id, { decision: "dismiss", expect: seen })).toMatchObject({ ok: false });
  });

  it("asked for by ten people at once happens once", async () => {
    const id = await failed();
    const all = Array.from({ length: 10 }, () => resolve(id, { decision: "dismiss" }));
    const outcomes = await Promise.all(all);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await listAudited(database.sql)).toEqual(["inbox.dismiss"]);
  });
});

describe("a suspected replay", () => {
  const BODY = JSON.stringify({ action: "opened", issue: { id: 7 }, repository: { owner: { id: 1 } } });
  async function suspect(): Promise<string> {
    await addSource(database.sql, {
      id: "hub",
      kind: "github",
      accounts: [{ account: "1", own: true }],
    });
    const first = { body: BODY, id: "guid-1", type: "issues" };
    await send(product, "hub", first);
    const { answer } = await send(product, "hub", { ...first, id: "guid-2" });
    expect(answer.status).toBe("quarantined");
    return answer.event;
  }

  it("that is accepted is an event of its own from then on", async () => {
    const id = await suspect();
    expect(codeOf(await resolve(id, { decision: "retry" }))).toBe("conflict");
    const { status } = unwrap(await resolve(id, { decision: "accept_content" }));
    // Nothing takes GitHub's issues here, so that is where an event of its own ends.
    expect(status).toBe("ignored");
    expect(await findEvent(database.sql, id)).toMatchObject({ eventId: "guid-2", type: "issues.opened" });
    const again = await send(product, "hub", { body: BODY, id: "guid-2", type: "issues" });
    expect(again.answer).toEqual({ status: "duplicate", event: id });
    expect(codeOf(await resolve(id, { decision: "accept_content" }))).toBe("conflict");
  });
});
