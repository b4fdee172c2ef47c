import { afterEach, beforeEach, expect, it } from "vitest";
import { startAfterRestore } from "#lib/reconcile/after-restore.ts";
import { codeOf, tester, unwrap } from "#tests/support/outcomes.ts";
import { finish, listOpen } from "#tests/support/reconciling.ts";
import { addSource, findBroken } from "#tests/support/senders.ts";
import { type StripeBench, startStripeBench } from "#tests/support/stripe-bench.ts";

let bench: StripeBench;
const sql = () => bench.database.sql;
beforeEach(async () => {
  bench = await startStripeBench();
});
afterEach(async () => {
  expect(await findBroken(sql())).toEqual([]);
  await bench.stop();
});

const restore = (minutesAgo = 5) =>
  startAfterRestore(sql(), tester, {
    at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    reason: "the disk died",
  });

it("after a restore nothing is sent by itself, and what the backup did not have is granted anew, once", async () => {
  const kept = await bench.pay();
  await bench.product.workUntilIdle();
  // What came after the backup was made: the sender was told 200, and the database knows nothing of it.
  await bench.payUnheard();
  await bench.payUnheard();
  await addSource(sql(), { id: "feed", kind: "standard-webhooks" });

  const result = unwrap(await restore());
  expect(result).toMatchObject({ held: 1, paused: ["email"], uncovered: ["feed"] });
  expect(result.runs.map(({ source }) => source)).toEqual(["stripe"]);
  for (const { run } of result.runs) {
    expect(await finish(bench.product, run)).toMatchObject({
      status: "done",
      trigger: "restored",
      gaps_closed: 2,
    });
  }
  expect(await bench.product.balance()).toBe(300n);
  const messages = await sql()`
    select message.status, message.ambiguous, destination.status as destination from outbox_messages message
    join destinations destination on destination.id = message.destination_id
    order by (subject = ${kept}) desc`;
  expect([...messages]).toEqual([
    { status: "unknown", ambiguous: true, destination: "paused" },
    { status: "pending", ambiguous: false, destination: "paused" },
    { status: "pending", ambiguous: false, destination: "paused" },
  ]);
  // The held message is itself a gap until somebody decides.
  expect(await listOpen(sql())).toMatchObject([{ class: "intent_unsent", subject: kept }]);
  const [entry] = await sql()`select reason from audit_entries where action = 'database.restored'`;
  expect(entry).toEqual({ reason: "the disk died" });
});

it("a backup from a time ahead is refused", async () => {
  expect(codeOf(await restore(-5))).toBe("unacceptable");
});
