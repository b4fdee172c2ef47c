import fc from "fast-check";
import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replayEvent } from "#lib/inbox/replay.ts";
import { DECISIONS, type ResolveRequest, resolveEvent } from "#lib/inbox/resolve.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { codeOf, linkCustomer, listAudited, tester, unwrap } from "#tests/support/outcomes.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
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
  resolveEvent(database.sql, tester, { id, decision: "dismiss", reason: "a test", ...rest });

const say = (amount: number, id = "evt_one") =>
  product.deliver(stripeEvent({ id }, stripeInvoice({ id: "in_one", amount_paid: amount })));

type Conflict = { id: string; resolution: string | null; why: string; amount: string };

async function conflictsOf(event: string): Promise<Conflict[]> {
  return await database.sql<Conflict[]>`
    select id, resolution, why, case when body <> ''
      then convert_from(body, 'UTF8')::json #>> '{data,object,amount_paid}' else '' end as amount
    from inbox_conflicts where inbox_event_id = ${event} order by 4`;
}

/** An event that waits for a link, and an open conflict of it. */
async function inConflict(): Promise<{ event: string; conflict: string }> {
  const { answer } = await say(1000);
  await say(2000);
  await product.workUntilIdle();
  return { event: answer.event, conflict: (await conflictsOf(answer.event))[0]!.id };
}

const paidFor = async () =>
  (await database.sql`select paid_amount::int as paid from credit_entries`).map(({ paid }) => paid);

describe("a conflict", () => {
  it("that is dismissed is closed alone, also while a worker is at the event", async () => {
    const { event, conflict } = await inConflict();
    const before = await findEvent(database.sql, event);
    const worker = await database.sql.reserve();
    await worker`begin`;
    await worker`select from inbox_events where id = ${event} for update`;
    unwrap(await resolve(event, { conflictId: conflict }));
    await worker`rollback`;
    worker.release();
    expect(await findEvent(database.sql, event)).toEqual(before);
    expect(await conflictsOf(event)).toMatchObject([{ resolution: "dismissed", amount: "2000" }]);
    expect(await resolve(event, { conflictId: conflict })).toMatchObject({
      ok: false,
      problem: { code: "conflict", state: "dismissed", message: expect.stringContaining("tester") },
    });
    expect((await say(2000)).answer.status).toBe("quarantined");
    expect(await conflictsOf(event)).toMatchObject([{ resolution: "dismissed" }]);
  });

  it("whose content is accepted is what is processed, and what was there before is kept", async () => {
    const { event, conflict } = await inConflict();
    const accept = { decision: "accept_content" as const, conflictId: conflict };
    expect(unwrap(await resolve(event, accept))).toMatchObject({ status: "pending" });
    expect(await conflictsOf(event)).toMatchObject([
      { resolution: "replaced", amount: "1000", why: "what was processed before" },
      { resolution: "accepted", amount: "2000" },
    ]);
    expect((await say(2000)).answer).toEqual({ status: "duplicate", event });
    expect((await say(1000)).answer).toEqual({ status: "quarantined", event });
    expect((await conflictsOf(event)).every(({ resolution }) => resolution !== null)).toBe(true);
    await linkCustomer(database.sql);
    await product.workUntilIdle();
    expect(await paidFor()).toEqual([2000]);
    expect(codeOf(await resolve(event, accept))).toBe("conflict");
  });

  it("of a done event is closed, and nothing is applied again", async () => {
    await linkCustomer(database.sql);
    const { event, conflict } = await inConflict();
    const before = await findEvent(database.sql, event);
    unwrap(await resolve(event, { decision: "accept_content", conflictId: conflict }));
    await product.workUntilIdle();
    expect(await findEvent(database.sql, event)).toEqual(before);
    expect(await paidFor()).toEqual([1000]);
    expect(await conflictsOf(event)).toMatchObject([{ resolution: "accepted", amount: "2000" }]);
  });

  it("is accepted also when the first content has expired", async () => {
    const { event, conflict } = await inConflict();
    await database.sql`delete from inbox_bodies where inbox_event_id = ${event}`;
    unwrap(await resolve(event, { decision: "accept_content", conflictId: conflict }));
    expect((await say(1000)).answer.status).toBe("quarantined");
    expect(await conflictsOf(event)).toMatchObject([{ resolution: "replaced" }, { resolution: "accepted" }]);
    await linkCustomer(database.sql);
    await product.workUntilIdle();
    expect(await paidFor()).toEqual([2000]);
  });

  it("is not found under another event, and a retry is not about one", async () => {
    const { event, conflict } = await inConflict();
    const other = (await say(1000, "evt_other")).answer.event;
    for (const decision of ["dismiss", "accept_content"] as const) {
      expect(codeOf(await resolve(other, { decision, conflictId: conflict }))).toBe("not_found");
      expect(codeOf(await resolve(event, { decision, conflictId: uuidv7() }))).toBe("not_found");
    }
    expect(codeOf(await resolve(event, { decision: "retry", conflictId: conflict }))).toBe("unacceptable");
    expect(await listAudited(database.sql)).toEqual([]);
  });

  it("decided by two people at once is decided once", async () => {
    const { event, conflict } = await inConflict();
    const outcomes = await Promise.all(
      (["accept_content", "dismiss", "accept_content", "dismiss"] as const).map((decision) =>
        resolve(event, { decision, conflictId: conflict }),
      ),
    );
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await listAudited(database.sql)).toHaveLength(1);
  });
});

it("decisions, deliveries, replays and work in any order grant once at most, and what is final stays", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("say" as const), amount: fc.constantFrom(1000, 2000, 3000) }),
    fc.record({
      do: fc.constant("resolve" as const),
      decision: fc.constantFrom(...DECISIONS),
      about: fc.nat({ max: 2 }),
    }),
    fc.record({ do: fc.constant("work" as const) }),
    fc.record({ do: fc.constant("replay" as const) }),
    fc.record({ do: fc.constant("link" as const) }),
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
      async (rounds) => {
        const id = `evt_${++run}`;
        await database.sql`delete from customer_links`;
        const deliver = (amount: number) =>
          product.deliver(stripeEvent({ id }, stripeInvoice({ id: `in_${run}`, amount_paid: amount })));
        const { event } = (await deliver(1000)).answer;
        const seen: string[] = [];
        for (const round of rounds) {
          const conflicts = await conflictsOf(event);
          // The steps of a round at once, as several people and processes would make them.
          await Promise.all(
            round.map((each) => {
              if (each.do === "say") return deliver(each.amount);
              if (each.do === "work") return product.work();
              if (each.do === "link") return linkCustomer(database.sql);
              if (each.do === "replay")
                return replayEvent(database.sql, { id: event, actor: "tester", reason: "x", dryRun: false });
              const conflictId = conflicts[each.about - 1]?.id;
              return resolve(event, { decision: each.decision, ...(conflictId && { conflictId }) });
            }),
          );
          seen.push((await findEvent(database.sql, event)).status);
        }
        for (const final of ["done", "dismissed"])
          expect(
            seen.slice(Math.max(0, seen.indexOf(final))).every((status) => status === final) ||
              !seen.includes(final),
          ).toBe(true);
        const [row] = await database.sql`
        select (select count(*)::int from credit_entries where subject = ${`in_${run}`}) as grants,
          (select count(*)::int from inbox_bodies where inbox_event_id = ${event}) as bodies`;
        expect(row!.bodies).toBe(1);
        expect(row!.grants).toBeLessThanOrEqual(1);
        expect(await findBroken(database.sql)).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
