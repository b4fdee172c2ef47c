import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Sql } from "#db/client.ts";
import { dropExpiredBodies, ensureBodyPartitions } from "#db/partitions.ts";
import { createTestDatabase } from "#tests/support/database.ts";

let sql: Sql;

beforeEach(async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  sql = database.sql;
  await sql`insert into sources (id, kind, name) values ('s', 'stripe', 'S')`;
});

type State = "pending" | "waiting" | "failed" | "quarantined" | "done";

/** An event whose body expires `days` from today (negative: has expired). */
async function insertEvent(status: State, days: number): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into inbox_events (id, source_id, account, event_id, type, mode, status, outcome, failure_class, waits_kind,
      waits_key, next_attempt_at, finished_at, content_digest, body_digest, body_bytes, body_expires_on)
    values (${id}, 's', 'a', ${id}, 't', 'live', ${status},
      ${status === "done" ? "applied" : null}, ${status === "failed" ? "exhausted" : null},
      ${status === "waiting" ? "link" : null}, ${status === "waiting" ? "cus_1" : null},
      ${status === "pending" ? sql`now()` : null}, ${status === "done" ? sql`now()` : null},
      sha256(''), sha256(''), 4, (now() at time zone 'UTC')::date + ${days}::int)`;
  await sql`
    insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
    select body_expires_on, id, 'body', '{}' from inbox_events where id = ${id}`;
  return id;
}

async function placeOf(id: string): Promise<{ partition: string; agrees: boolean } | null> {
  const [row] = await sql<{ partition: string; agrees: boolean }[]>`
    select inbox_bodies.tableoid::regclass::text as partition, expires_on = body_expires_on as agrees
    from inbox_bodies join inbox_events on id = inbox_event_id where id = ${id}`;
  return row ?? null;
}

const listPartitions = async () =>
  (
    await sql`select relname from pg_class where relname ~ '^inbox_bodies_\\d+$' and relkind = 'r' order by 1`
  ).map((row) => row.relname as string);

describe("ensureBodyPartitions", () => {
  test("makes a week of partitions for each retention, once", async () => {
    const first = await ensureBodyPartitions(sql, { days: [90] });
    expect(first).toMatchObject({ failed: null });
    expect(first.created).toHaveLength(8);
    expect(await ensureBodyPartitions(sql, { days: [90, 90] })).toEqual({ created: [], failed: null });
  });

  test("six at once neither fail nor make one twice", async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, () => ensureBodyPartitions(sql, { days: [60] })),
    );
    expect(results.map((result) => result.failed)).toEqual(Array(6).fill(null));
    expect(results.flatMap((result) => result.created)).toHaveLength(8);
  });

  test("moves rows out of the default partition", async () => {
    const id = await insertEvent("pending", 62);
    expect(await placeOf(id)).toEqual({ partition: "inbox_bodies_default", agrees: true });
    await ensureBodyPartitions(sql, { days: [60] });
    expect((await placeOf(id))?.partition).toMatch(/^inbox_bodies_\d{8}$/);
  });

  test("tells a failure instead of throwing", async () => {
    await sql`drop table inbox_bodies cascade`;
    expect((await ensureBodyPartitions(sql, { days: [60] })).failed).toMatch(/inbox_bodies/);
  });
});

describe("dropExpiredBodies", () => {
  test("keeps the bodies of unfinished events, drops the others with their partition", async () => {
    await ensureBodyPartitions(sql, { days: [-3] });
    const expired = await listPartitions();
    const unfinished: string[] = [];
    for (const status of ["pending", "waiting", "failed", "quarantined"] as const) {
      unfinished.push(await insertEvent(status, -2));
    }
    const done = await insertEvent("done", -2);
    const today = await insertEvent("done", 0);

    const result = await dropExpiredBodies(sql);
    expect(result.dropped).toHaveLength(3);
    expect(result.moved).toBe(4);
    const left = await listPartitions();
    expect(result.dropped.every((name) => expired.includes(name) && !left.includes(name))).toBe(true);
    for (const id of unfinished) expect(await placeOf(id)).toMatchObject({ agrees: true });
    expect(await placeOf(done)).toBeNull();
    expect(await placeOf(today)).not.toBeNull();
    expect(await dropExpiredBodies(sql)).toEqual({ dropped: [], moved: 0 });
  });

  test("clears expired rows out of the default partition too", async () => {
    const done = await insertEvent("done", -5);
    const pending = await insertEvent("pending", -5);
    expect(await dropExpiredBodies(sql)).toEqual({ dropped: [], moved: 1 });
    expect(await placeOf(done)).toBeNull();
    expect(await placeOf(pending)).toMatchObject({ agrees: true });
  });
});
