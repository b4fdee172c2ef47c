import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect, type Sql } from "#db/client.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { claimDue } from "#lib/inbox/claim.ts";
import { openClaimBook } from "#lib/inbox/claims.ts";
import { NotYet } from "#lib/inbox/classify-failure.ts";
import { LANES } from "#lib/inbox/lanes.ts";
import { processBatch } from "#lib/inbox/process-batch.ts";
import { replayEvent } from "#lib/inbox/replay.ts";
import { isAnyDueAlone, rescueClaims } from "#lib/inbox/rescue.ts";
import { recordFailedTries } from "#lib/inbox/retry.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { withTimeout } from "#lib/with-timeout.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const ME = "01900000-0000-7000-8000-000000000001";
const OTHER = "01900000-0000-7000-8000-000000000002";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await database.drop();
  expect(broken).toEqual([]);
});

const arrive = async () => (await product.deliver(stripeEvent())).answer.event;
const open = () => connect({ url: database.url, max: 1, name: "pool of one" }) as unknown as Sql;
const read = async (id: string) => (await database.sql`select * from inbox_events where id = ${id}`)[0]!;

describe("a claim", () => {
  it("takes no more than it asked for, with statistics of the time when the table was empty", async () => {
    await database.sql`alter table inbox_events set (autovacuum_enabled = false)`;
    await arrive();
    await database.sql`analyze inbox_events`;
    for (let n = 0; n < 39; n++) await arrive();
    await database.sql.begin(async (tx) => {
      expect(await claimDue(tx, 5, LANES.LIVE)).toHaveLength(5);
      const [row] = await database.sql`
        select count(*)::int as free from (select id from inbox_events for update skip locked) free`;
      expect(row).toEqual({ free: 35 });
    });
  });

  it("of large bodies leaves what would not fit into memory together to the next one", async () => {
    for (let n = 0; n < 4; n++) await arrive();
    await database.sql`update inbox_events set body_bytes = 10000000`;
    const first = await product.work();
    expect(first).toMatchObject({ claimed: 2, full: false });
    expect(await product.work(4)).toMatchObject({ claimed: 2 });
    expect(await product.balance()).toBe(400n);
  });
});

describe("a pool of one connection", () => {
  it("is enough for everything that a worker and a replay do in their transactions", async () => {
    const waiting = await product.deliver(stripeEvent({}, stripeInvoice({ customer: "cus_new" })));
    await product.deliver(stripeEvent({}, stripeInvoice({ amount_paid: -5 })));
    for (let n = 0; n < 5; n++) await arrive();
    const [sql, bookSql] = [open(), open()];
    const note = openClaimBook(bookSql, ME, { locks: true }).noteIn(0, false);
    try {
      const work = async () => {
        await processBatch(sql, { limit: 100 }, ME, note);
        await sweepWaiting(sql);
        await rescueClaims(sql, ME);
        await isAnyDueAlone(sql);
        await replayEvent(sql, { id: waiting.answer.event, actor: "t", reason: "t", dryRun: false });
        await replayEvent(sql, { id: waiting.answer.event, actor: "t", reason: "t", dryRun: true });
      };
      await withTimeout(work(), 10_000, "somebody waits for a second connection");
    } finally {
      await Promise.all([sql.end({ timeout: 1 }), bookSql.end({ timeout: 1 })]);
    }
    expect(await product.balance()).toBe(500n);
  });
});

describe("the book of claims", () => {
  /** What a worker leaves behind that dies with these rows at work; `dead` is its session. */
  async function die(ids: string[], alone: boolean, ended = true): Promise<void> {
    const session = open();
    await openClaimBook(session, OTHER, { locks: true }).noteIn(0, alone)(ids);
    await session.end();
    await database.sql`
      insert into workers (id, role, host, pid, version, stopped_at)
      values (${OTHER}, 'worker', 'h', 1, '0.1.0', ${ended ? database.sql`now()` : null})
      on conflict (id) do update set stopped_at = excluded.stopped_at`;
  }

  it("leaves the rows of a living worker alone, however long it is silent", async () => {
    const id = await arrive();
    const session = open();
    await openClaimBook(session, OTHER, { locks: true }).noteIn(0, false)([id]);
    await database.sql`
      insert into workers (id, role, host, pid, version, seen_at)
      values (${OTHER}, 'worker', 'h', 1, '0.1.0', now() - interval '1 day')`;
    expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 0, crashed: 0 });
    await session.end();
    expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 1, crashed: 0 });
    expect(await read(id)).toMatchObject({ status: "pending", lane: LANES.ALONE, crashes: 0, attempts: 0 });
  });

  it("leaves rows alone that a session of the dead worker still holds, until that has ended too", async () => {
    const id = await arrive();
    await database.sql.begin(async (tx) => {
      await tx`select from inbox_events where id = ${id} for update`;
      await die([id], false);
      expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 0, crashed: 0 });
    });
    expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 1, crashed: 0 });
  });

  it("blames nobody for a connection that was lost while its process may be alive", async () => {
    const id = await arrive();
    await die([id], true, false);
    expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 0, crashed: 0 });
    expect(await read(id)).toMatchObject({ crashes: 0, attempts: 0 });
  });

  it("counts crashes of a row alone, and sets it aside after the third", async () => {
    const id = await arrive();
    for (let crashes = 1; crashes <= 2; crashes++) {
      await die([id], true);
      expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 0, crashed: 1 });
      expect(await read(id)).toMatchObject({ status: "pending", crashes, attempts: crashes });
    }
    await die([id], true);
    await rescueClaims(database.sql, ME);
    expect(await read(id)).toMatchObject({ status: "failed", failure_class: "poison", attempts: 3 });
    // In a replay it would take down whoever asks.
    const replay = { id, actor: "t", reason: "t", dryRun: false };
    expect(await replayEvent(database.sql, replay)).toMatchObject({ verdict: "blocked" });
    expect(await read(id)).toMatchObject({ status: "failed", failure_class: "poison" });
  });

  it("does not touch what was completed, whatever was noted of it", async () => {
    const id = await arrive();
    await product.workUntilIdle();
    const done = await read(id);
    await die([id], true);
    expect(await rescueClaims(database.sql, ME)).toEqual({ suspects: 0, crashed: 0 });
    expect(await read(id)).toEqual(done);
    expect(await database.sql`select from inbox_claims`).toEqual([]);
  });
});

describe("a failed try", () => {
  const fail = async (id: string, error: unknown) => {
    const tried = {
      id,
      sourceId: "stripe",
      attempts: 0,
      roundAttempts: 0,
      startedAt: new Date().toISOString(),
    };
    await recordFailedTries(database.sql, [{ ...tried, error }], ME);
    return await read(id);
  };
  const sqlError = (code: string) => Object.assign(new Error("refused"), { code });

  it.each(["22P05", "22003", "54000", "23514"])(
    "with %s can never succeed and is for a person at once",
    async (code) => {
      expect(await fail(await arrive(), sqlError(code))).toMatchObject({
        status: "failed",
        failure_class: "invalid",
        attempts: 1,
      });
    },
  );

  it.each(["40P01", "55P03", "57014", "23505"])("with %s is tried again", async (code) => {
    expect(await fail(await arrive(), sqlError(code))).toMatchObject({
      status: "pending",
      round_attempts: 1,
    });
  });

  it("for which something else must come first waits for that", async () => {
    const id = await arrive();
    expect(await fail(id, new NotYet("link", "cus_acme", "its customer has no link yet"))).toMatchObject({
      status: "waiting",
      waits_kind: "link",
      waits_key: "cus_acme",
      round_attempts: 0,
    });
    await sweepWaiting(database.sql);
    await product.workUntilIdle();
    expect(await read(id)).toMatchObject({ status: "done" });
  });
});
