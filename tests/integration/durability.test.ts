import { afterEach, beforeEach, expect, it } from "vitest";
import { DURABLE } from "#db/durability.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

it.each([
  ["off", "on"],
  ["local", "on"],
  ["remote_write", "on"],
  ["on", "on"],
  ["remote_apply", "remote_apply"],
])("a promise is committed at least with `on` where the server says %s", async (configured, used) => {
  const seen = await database.sql.begin(async (tx) => {
    await tx.unsafe(`set session synchronous_commit = ${configured}`);
    await tx.unsafe(`select 1 as one, ${DURABLE}`);
    const [row] = await tx`select current_setting('synchronous_commit') as used`;
    return row?.used;
  });
  expect(seen).toBe(used);
});
