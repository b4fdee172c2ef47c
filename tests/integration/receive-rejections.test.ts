import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { forgetRejectionCounts } from "#lib/receive/forget-rejection-counts.ts";
import { createRejectionLog, type RejectionLog } from "#lib/receive/rejection-log.ts";
import type { Rejection } from "#lib/receive/types.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";

let database: TestDatabase;
let log: RejectionLog;
let errors: unknown[];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.sql`truncate rejections, rejection_counts`;
  errors = [];
  log = createRejectionLog(database.sql, (error) => errors.push(error));
});
afterEach(() => log.stop());

const reject = (overrides: Partial<Rejection> = {}) =>
  log.add({ sourceId: "stripe", reason: "signature_missing", remoteAddress: "::1", bytes: 2, ...overrides });
const samples = () =>
  database.sql`select source_id as source, reason, detail, host(remote_address) as address, bytes from rejections order by id`;
const counts = async () => {
  const rows = await database.sql`
    select source_id, reason, sum(count)::int as count from rejection_counts group by 1, 2 order by 1, 2`;
  return rows.map((row) => [row.source_id, row.reason, row.count]);
};

describe("the rejection log", () => {
  it("counts all by source and reason, and keeps some of each", async () => {
    for (let n = 0; n < 1_000; n++) reject();
    for (let n = 0; n < 3; n++) reject({ sourceId: "github", reason: "signature_mismatch" });
    reject({ reason: "timestamp_stale", detail: "skew 412 s", bytes: 2048, remoteAddress: "198.51.100.7" });
    await log.flush();
    expect(await counts()).toEqual([
      ["github", "signature_mismatch", 3],
      ["stripe", "signature_missing", 1_000],
      ["stripe", "timestamp_stale", 1],
    ]);
    const rows = await samples();
    expect(rows).toHaveLength(10 + 3 + 1);
    expect(rows.at(-1)).toEqual({
      source: "stripe",
      reason: "timestamp_stale",
      detail: "skew 412 s",
      address: "198.51.100.7",
      bytes: 2048,
    });
  });

  it("counts names that a stranger made up under one, and shows a few of them", async () => {
    for (let flush = 0; flush < 3; flush++) {
      for (let n = 0; n < 500; n++) reject({ sourceId: `guess-${flush}-${n}`, reason: "unknown_source" });
      await log.flush();
    }
    expect(await counts()).toEqual([["(unknown)", "unknown_source", 1_500]]);
    const rows = await samples();
    expect(rows).toHaveLength(30);
    expect(rows[0]).toMatchObject({ source: "guess-0-0" });
  });

  it.each([
    ["an announced length beyond any integer", { bytes: 99_999_999_999 }, { bytes: 2_147_483_647 }],
    ["an address with a zone", { remoteAddress: "fe80::1%eth0" }, { address: "fe80::1" }],
    ["no address", { remoteAddress: null }, { address: null }],
    ["an address through IPv6", { remoteAddress: "::ffff:127.0.0.1" }, { address: "::ffff:127.0.0.1" }],
    [
      "a name with NUL and half a character",
      { sourceId: `a\0${"x".repeat(60)}😀`, reason: "unknown_source" as const },
      { source: `a\ufffd${"x".repeat(60)}\ufffd` },
    ],
    ["a long detail", { detail: "d".repeat(1_000) }, { detail: "d".repeat(200) }],
  ])("takes %s, and with it the others of the same second", async (_, odd, kept) => {
    reject();
    reject(odd);
    await log.flush();
    expect(errors).toEqual([]);
    const rows = await samples();
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject(kept);
  });

  it("never grows beyond its newest 10,000", async () => {
    await database.sql`
      insert into rejections (source_id, reason) select 'old', 'signature_missing' from generate_series(1, 10000)`;
    for (let n = 0; n < 5; n++) reject();
    await log.flush();
    const [row] = await database.sql`
      select count(*)::int as rows, count(*) filter (where source_id = 'old')::int as old from rejections`;
    expect(row).toEqual({ rows: 10_000, old: 9_995 });
  });

  it("keeps its counts, not its samples, while the database is away", async () => {
    await database.sql`alter table rejections rename to rejections_gone`;
    for (let flush = 0; flush < 3; flush++) {
      for (let n = 0; n < 100; n++) reject();
      await log.flush();
    }
    expect(errors).toHaveLength(3);
    await database.sql`alter table rejections_gone rename to rejections`;
    reject({ reason: "body_too_large" });
    await log.stop();
    expect(await counts()).toEqual([
      ["stripe", "body_too_large", 1],
      ["stripe", "signature_missing", 300],
    ]);
    expect(await samples()).toHaveLength(1);
  });
});

describe("old counts", () => {
  it("go after 400 days; the others stay", async () => {
    reject();
    await log.flush();
    await database.sql`
      insert into rejection_counts (source_id, reason, hour, count)
      values ('stripe', 'signature_missing', now() - interval '401 days', 5),
        ('stripe', 'signature_missing', now() - interval '399 days', 7)`;
    expect(await forgetRejectionCounts(database.sql)).toBe(1);
    expect(await counts()).toEqual([["stripe", "signature_missing", 8]]);
  });
});
