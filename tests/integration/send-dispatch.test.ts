import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { abandonOverdue } from "#lib/outbox/abandon.ts";
import { claimDue } from "#lib/outbox/claim.ts";
import { type Dispatching, dispatchOnce } from "#lib/outbox/dispatch.ts";
import { expireLeases } from "#lib/outbox/expire.ts";
import { startCalls } from "#lib/outbox/start.ts";
import { writeResults } from "#lib/outbox/write-results.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import {
  addDestination,
  addMessages,
  dispatching,
  openReceiver,
  type Receiver,
  stateOf,
} from "#tests/support/sending.ts";

let database: TestDatabase;
let receiver: Receiver;
let work: Dispatching;

beforeEach(async () => {
  database = await createTestDatabase();
  receiver = await openReceiver();
  work = dispatching(database.sql);
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await receiver.close();
  await database.drop();
  expect(broken).toEqual([]);
});

const arrange = async (
  count = 1,
  policy: Parameters<typeof addDestination>[1]["policy"] = "duplicate-ok",
) => {
  const destination = await addDestination(database.sql, { url: receiver.url, policy });
  return { destination, ids: await addMessages(database.sql, destination, count) };
};

describe("a dispatcher", () => {
  it("sends what is due once, with the frozen bytes, and keeps what was answered", async () => {
    const { ids } = await arrange(3);
    await dispatchOnce(work);
    await dispatchOnce(work);
    expect(receiver.calls.map(({ id }) => id).sort()).toEqual(ids);
    expect(new Set(receiver.calls.map(({ body }) => body))).toEqual(new Set(["hello"]));
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({
      status: "sent",
      attempts: 1,
      history: ["call accepted"],
    });
    const [attempt] =
      await database.sql`select status_code, response_body, worker_id from outbox_attempts limit 1`;
    expect(attempt).toMatchObject({ status_code: 200, response_body: "taken", worker_id: work.workerId });
  });

  it("sends each message once when two claim at the same time", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url, concurrency: 100 });
    await addMessages(database.sql, destination, 60);
    const other = dispatching(database.sql);
    const drain = async (by: Dispatching) => {
      while ((await dispatchOnce(by, 7)).claimed > 0);
    };
    await Promise.all([drain(work), drain(other), drain(work)]);
    expect(receiver.calls).toHaveLength(60);
    expect(new Set(receiver.calls.map(({ id }) => id)).size).toBe(60);
  });

  it("finds a row that was committed after younger ones had been sent", async () => {
    const { destination } = await arrange(0);
    const late = database.sql.begin(async (tx) => {
      const [early] = await addMessages(tx as never, destination, 1);
      await addMessages(database.sql, destination, 2);
      await dispatchOnce(work);
      return early;
    });
    const early = await late;
    expect(receiver.calls).toHaveLength(2);
    await dispatchOnce(work);
    expect(receiver.calls.at(-1)?.id).toBe(early);
  });

  it("has no more calls under way to a destination than it allows, over all dispatchers", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url, concurrency: 3 });
    await addMessages(database.sql, destination, 20);
    const claim = () =>
      claimDue(database.sql, work.clock, { slots: 10, channels: ["webhook"], workerId: work.workerId });
    const sets = await Promise.all([claim(), claim(), claim()]);
    expect(sets.flat()).toHaveLength(3);
  });

  it("serves every destination in turn, however long the first one's queue is", async () => {
    const long = await addDestination(database.sql, { url: receiver.url, concurrency: 100 });
    const short = await addDestination(database.sql, { url: receiver.url, concurrency: 100 });
    await addMessages(database.sql, long, 50);
    await addMessages(database.sql, short, 3);
    const claimed = await claimDue(database.sql, work.clock, {
      slots: 8,
      channels: ["webhook"],
      workerId: work.workerId,
    });
    expect(claimed.filter(({ destinationId }) => destinationId === short)).toHaveLength(3);
    expect(claimed).toHaveLength(8);
  });
});

describe("a lease that ran out", () => {
  const lookLater = { offsetSeconds: 600 };
  const claim = () =>
    claimDue(database.sql, work.clock, { slots: 1, channels: ["webhook"], workerId: work.workerId });

  it("gives back a message whose call had not begun: nothing can have left", async () => {
    const { ids } = await arrange(1, "review");
    await claim();
    expect(await expireLeases(database.sql, lookLater, {})).toEqual({ pending: 1, unknown: 0, parked: 0 });
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({
      status: "pending",
      attempts: 0,
      history: ["lost retry"],
    });
  });

  it.each([
    ["review", "unknown"],
    ["idempotent", "pending"],
    ["duplicate-ok", "pending"],
    ["reconcile", "pending"],
  ] as const)("after the call began follows the policy %s: %s", async (policy, status) => {
    const { ids } = await arrange(1, policy);
    const [message] = await claim();
    await startCalls(database.sql, work.clock, [{ ...message!, seconds: 1 }]);
    await expireLeases(database.sql, lookLater, { webhook: 3_600 });
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({
      status,
      attempts: 1,
      history: ["lost unknown"],
    });
  });

  it("with a key that is no longer remembered leaves the decision to a person", async () => {
    const { ids } = await arrange(1, "idempotent");
    const [message] = await claim();
    await startCalls(database.sql, work.clock, [{ ...message!, seconds: 1 }]);
    await expireLeases(database.sql, lookLater, { webhook: 60 });
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({ status: "unknown" });
  });

  it("lets nobody begin a call or settle with the old token", async () => {
    const { ids } = await arrange(1, "duplicate-ok");
    const [message] = await claim();
    await expireLeases(database.sql, lookLater, {});
    expect(await startCalls(database.sql, work.clock, [{ ...message!, seconds: 1 }])).toEqual(new Map());
    expect((await stateOf(database.sql, ids[0]!)).status).toBe("pending");
  });

  it("after three dispatchers in a row sets the message apart with its history", async () => {
    const { ids } = await arrange(1, "duplicate-ok");
    for (let crash = 1; crash <= 3; crash++) {
      await database.sql`update outbox_messages set next_attempt_at = now()`;
      await claim();
      await database.sql`update outbox_messages set lease_until = now() - interval '1 second'`;
      await expireLeases(database.sql, work.clock, {});
    }
    const state = await stateOf(database.sql, ids[0]!);
    expect(state).toMatchObject({
      status: "rejected",
      crashes: 3,
      history: ["lost retry", "lost retry", "lost retry"],
    });
    expect(state.lastError).toMatch(/set apart/);
  });

  it("settles an unknown message when the answer comes after all", async () => {
    const { ids } = await arrange(1, "review");
    let release = () => {};
    receiver.answer = (_, response) => {
      release = () => response.writeHead(200).end();
    };
    const running = dispatchOnce(work);
    await expect.poll(() => receiver.calls.length).toBe(1);
    await expireLeases(database.sql, lookLater, {});
    expect((await stateOf(database.sql, ids[0]!)).status).toBe("unknown");
    release();
    await running;
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({
      status: "sent",
      history: ["lost unknown", "late accepted"],
    });
  });

  it("does not let a late answer touch what has gone on since", async () => {
    const { ids } = await arrange(1, "duplicate-ok");
    const [message] = await claim();
    const started = await startCalls(database.sql, work.clock, [{ ...message!, seconds: 1 }]);
    await expireLeases(database.sql, lookLater, {});
    const ruling = {
      result: "rejected",
      next: "rejected",
      why: "no",
      delay: 0,
      asked: 0,
      counts: true,
      ambiguous: false,
      keySeconds: null,
      lane: "up",
    } as const;
    const late = {
      message: message!,
      kind: "call" as const,
      ruling,
      startedAt: started.get(ids[0]!)!,
      evidence: null,
    };
    expect(await writeResults(database.sql, work.clock, [late], work.workerId)).toEqual(new Map());
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({
      status: "pending",
      history: ["lost unknown", "late rejected"],
    });
  });
});

describe("an answer that is no acknowledgement", () => {
  it.each([
    [502, "review", "unknown", "call unknown"],
    [502, "duplicate-ok", "pending", "call unknown"],
    [502, "idempotent", "pending", "call unknown"],
    [500, "review", "pending", "call retry"],
    [422, "review", "rejected", "call rejected"],
  ] as const)("%i under the policy %s: %s", async (status, policy, state, attempt) => {
    const { ids } = await arrange(1, policy);
    receiver.answer = (_, response) => response.writeHead(status).end("no");
    await dispatchOnce(work);
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({
      status: state,
      attempts: 1,
      history: [attempt],
    });
  });

  it("gives up when the window is over", async () => {
    const { ids } = await arrange();
    const later = { offsetSeconds: 72 * 3_600 + 1 };
    expect(await abandonOverdue(database.sql, work.clock, String)).toBe(0);
    expect((await dispatchOnce({ ...work, clock: later })).claimed).toBe(0);
    expect(await abandonOverdue(database.sql, later, String)).toBe(1);
    expect(receiver.calls).toEqual([]);
    expect(await stateOf(database.sql, ids[0]!)).toMatchObject({ status: "abandoned" });
    const notices =
      await database.sql`select destination, operation_key from outbox_messages where topic = 'delivery.abandoned'`;
    expect(notices).toEqual([
      { destination: "owner@acme.example", operation_key: JSON.stringify([ids[0], "abandoned"]) },
    ]);
  });
});
