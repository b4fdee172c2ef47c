import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect, connectDrizzle, type Sql } from "#db/client.ts";
import { auditEntries } from "#db/schema/index.ts";
import { decodeCursor, type Position } from "#lib/api/cursor.ts";
import { getWorkspace, type WorkspaceDetail } from "#lib/api/reads/get-workspace.ts";
import { replayEvent } from "#lib/inbox/replay.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { refreshSubscriptions } from "#lib/projections/refresh.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { findBroken, findEvent } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";
import { stripeCharge, stripeEventOf, stripeSubscription } from "#tests/support/stripe-money.ts";

let database: TestDatabase;
let product: Product;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
});
afterEach(async () => {
  expect(await findBroken(database.sql)).toEqual([]);
  await database.drop();
});

describe("jsonb", () => {
  const VALUES = [{ a: 1 }, "10.5", "null", "true", [], "", 10.5, false, { nested: { "10.5": "10.5" } }];

  it("comes back as what it was written, by the raw driver and by drizzle", async () => {
    const { db, end } = connectDrizzle({ url: database.url, max: 1, name: "test" });
    try {
      for (const value of VALUES) {
        await database.sql`insert into audit_entries (actor, action, target, after)
          values ('test', 'raw', 'x', ${database.sql.json(value as never)})`;
        await db.insert(auditEntries).values({ actor: "test", action: "drizzle", target: "x", after: value });
      }
      for (const action of ["raw", "drizzle"]) {
        const rows = await database.sql`select after, jsonb_typeof(after) as type from audit_entries
          where action = ${action} order by id`;
        expect(rows.map(({ after }) => after)).toEqual(VALUES);
        expect(rows.map(({ type }) => type)).toEqual(VALUES.map(typeOf));
      }
    } finally {
      await end();
    }
  });

  it("is an object, and no string, wherever the worker and a replay write one", async () => {
    const { answer } = await product.deliver(stripeEvent());
    await product.workUntilIdle();
    await replayEvent(database.sql, { id: answer.event, actor: "test", reason: "test", dryRun: false });
    const types = await database.sql`
      select jsonb_typeof(content) as type from outbox_messages union all
      select jsonb_typeof(headers) from inbox_bodies union all
      select jsonb_typeof(after) from audit_entries`;
    expect(types.map(({ type }) => type)).toEqual(["object", "object", "object"]);
  });
});

const typeOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value);

describe("time", () => {
  it("has its zone in every column", async () => {
    const plain = await database.sql`
      select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type in ('timestamp without time zone', 'time without time zone')`;
    expect([...plain]).toEqual([]);
  });

  it.each(["Europe/Berlin", "America/Los_Angeles", "Asia/Kathmandu"])(
    "is the same moment in %s: what is due now is worked on now, and deadlines lie 72 hours ahead",
    async (zone) => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        await database.sql.unsafe(
          `alter database ${new URL(database.url).pathname.slice(1)} set timezone = '${zone}'`,
        );
        const { answer } = await product.deliver(stripeEvent());
        await product.workUntilIdle();
        expect(await findEvent(database.sql, answer.event)).toMatchObject({ outcome: "applied" });
        const [row] = await database.sql`
          select abs(extract(epoch from now() - received_at))::float8 as received,
            abs(extract(epoch from finished_at - received_at))::float8 as finished from inbox_events`;
        expect(row!.received).toBeLessThan(600);
        expect(row!.finished).toBeLessThan(600);
        const [message] = await database.sql`
          select extract(epoch from deadline_at - created_at)::float8 as seconds from outbox_messages`;
        expect(Math.round(message!.seconds / 3600)).toBe(72);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    },
  );
});

describe("pages of rows that one statement made in one millisecond", () => {
  it("repeat none and skip none", async () => {
    for (let at = 0; at < 50; at++) await product.deliver(stripeEvent({}, stripeInvoice({ id: `in_${at}` })));
    await product.work(100);
    await database.sql`update credit_entries set created_at = date_trunc('second', created_at)
      + make_interval(secs => 0.123 + (('x' || substr(md5(subject), 1, 4))::bit(16)::int % 900) / 1e6)`;
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const position: Position | null = after === null ? null : decodeCursor(after);
      const page: WorkspaceDetail = (await getWorkspace(database.sql, "ws_acme", 7, position))!;
      seen.push(...page.entries.items.map(({ subject }) => subject));
      after = page.entries.nextCursor;
    } while (after !== null);
    expect(seen).toHaveLength(50);
    expect(new Set(seen).size).toBe(50);
  });
});

describe("a pool of one connection", () => {
  it("is enough for receiving, applying, waiting, releasing, replaying and refreshing: nothing asks for a second", async () => {
    const sql = connect({ url: database.url, max: 1, name: "one" }) as unknown as Sql;
    try {
      const one = await createProduct(sql, { seeded: false });
      const early = await one.deliver(
        stripeEventOf("charge.refunded", stripeCharge({ amount_refunded: 500 })),
      );
      await one.deliver(stripeEventOf("customer.subscription.updated", stripeSubscription()));
      const { answer } = await one.deliver(
        stripeEvent({}, stripeInvoice({ id: "in_1", charge: "ch_1", payment_intent: "pi_1" })),
      );
      await one.workUntilIdle();
      await sweepWaiting(sql);
      await one.workUntilIdle();
      expect(await findEvent(sql, early.answer.event)).toMatchObject({ outcome: "applied" });
      const replay = { id: answer.event, actor: "test", reason: "test" };
      expect(await replayEvent(sql, { ...replay, dryRun: true })).toMatchObject({
        verdict: "already_applied",
      });
      expect(await replayEvent(sql, { ...replay, dryRun: false })).toMatchObject({
        verdict: "already_applied",
      });
      await refreshSubscriptions(sql, { keys: [SECRET_KEY], fetch });
      expect(await one.balance()).toBe(50n);
    } finally {
      await sql.end({ timeout: 1 });
    }
  });
});
