import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { abandonOverdue } from "#lib/outbox/abandon.ts";
import { probeDelay, SENDING, sendDelay } from "#lib/outbox/backoff.ts";
import { type Dispatching, dispatchOnce } from "#lib/outbox/dispatch.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import {
  addDestination,
  addMessages,
  dispatching,
  openReceiver,
  type Receiver,
  stateOf,
} from "#tests/support/sending.ts";

const HOUR = 3_600;

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

/** Moves the clock to the next time at which anything can happen; false when nothing ever will, or only after `end`. */
async function moveOn(end: number): Promise<boolean> {
  const [row] = await database.sql<{ seconds: number | null }[]>`
    select min(extract(epoch from greatest(message.next_attempt_at, coalesce(destination.probe_at, '-infinity')) - now()))::float8 as seconds
    from outbox_messages message join destinations destination on destination.id = message.destination_id
    where message.status = 'pending' and destination.status = 'active' and destination.id <> 'email'`;
  if (row?.seconds === null || row!.seconds > end) return false;
  work.clock.offsetSeconds = Math.max(work.clock.offsetSeconds, row!.seconds + 0.001);
  return true;
}

/** Lets the clock run until `end` seconds from now, and says at which seconds calls came. */
async function run(end: number): Promise<number[]> {
  const times: number[] = [];
  while (await moveOn(end)) {
    const calls = receiver.calls.length;
    await dispatchOnce(work);
    for (let call = calls; call < receiver.calls.length; call++) times.push(work.clock.offsetSeconds);
    await abandonOverdue(database.sql, work.clock, String);
  }
  work.clock.offsetSeconds = end;
  await abandonOverdue(database.sql, work.clock, String);
  return times;
}

const fail = (status: number) => {
  receiver.answer = (_, response) => response.writeHead(status).end("no");
};

describe("the delay before the next attempt", () => {
  it("has full jitter under a doubling ceiling of an hour, and is never below a second", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (attempts, random) => {
          const delay = sendDelay(attempts, random);
          expect(delay).toBeGreaterThanOrEqual(SENDING.minSeconds);
          expect(delay).toBeLessThanOrEqual(Math.min(HOUR, SENDING.baseSeconds * 2 ** (attempts - 1)));
          expect(probeDelay(attempts, random)).toBeLessThanOrEqual(600);
        },
      ),
    );
    expect(sendDelay(30, 0.5)).toBe(1_800);
  });

  it("is at least what the destination asked for, but not beyond an hour", () => {
    expect(sendDelay(1, 0, 120)).toBe(120);
    expect(sendDelay(1, 0, 86_400)).toBe(HOUR);
    expect(sendDelay(20, 0.9, 1)).toBeGreaterThan(3_000);
  });

  it("spreads what failed together", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url, concurrency: 50 });
    await addMessages(database.sql, destination, 50);
    await database.sql`update outbox_messages set attempts = 12`;
    fail(500);
    await dispatchOnce(work, 50);
    const [row] = await database.sql`
      select count(distinct extract(minute from next_attempt_at))::int as minutes,
        extract(epoch from max(next_attempt_at) - min(next_attempt_at))::float8 as spread from outbox_messages`;
    expect(row!.minutes).toBeGreaterThan(15);
    expect(row!.spread).toBeGreaterThan(1_200);
  });
});

describe("a destination that fails for 72 hours", () => {
  it("is tried ever more rarely, at least hourly, never after the window; then its owner is told once", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url });
    const [id] = await addMessages(database.sql, destination);
    fail(500);
    const times = await run(72 * HOUR + 60);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    // On average half an hour once the ceiling is reached: about 144, and never fewer than one an hour.
    expect(times.length).toBeGreaterThan(90);
    expect(times.length).toBeLessThan(260);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(HOUR + 2);
    expect(times.at(-1)).toBeLessThan(72 * HOUR);
    expect(await stateOf(database.sql, id!)).toMatchObject({ status: "abandoned", attempts: times.length });
    await run(80 * HOUR);
    const notices = await database.sql`
      select destination, channel, destination_id from outbox_messages where operation_key = ${JSON.stringify([id, "abandoned"])}`;
    expect(notices).toEqual([
      { destination: "owner@acme.example", channel: "email", destination_id: "email" },
    ]);
    expect(receiver.calls).toHaveLength(times.length);
  });

  it("tells nobody of the end of such a notice", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url });
    await addMessages(database.sql, destination);
    await database.sql`update outbox_messages set topic = 'delivery.abandoned'`;
    work.clock.offsetSeconds = 73 * HOUR;
    expect(await abandonOverdue(database.sql, work.clock, String)).toBe(1);
    const [row] = await database.sql`select count(*)::int as count from outbox_messages`;
    expect(row).toEqual({ count: 1 });
  });
});

describe("a destination that fails as a whole", () => {
  const breaker = async (id: string) =>
    (
      await database.sql`select status, broken_since is not null as broken, broken_why, failures, probes from destinations where id = ${id}`
    )[0];

  it.each([401, 403, 404])(
    "(%i) is probed with one message; the others keep their attempts",
    async (status) => {
      const destination = await addDestination(database.sql, { url: receiver.url, concurrency: 4 });
      await addMessages(database.sql, destination, 30);
      fail(status);
      const times = await run(2 * HOUR);
      expect(await breaker(destination)).toMatchObject({
        broken: true,
        broken_why: `It answered ${status}.`,
      });
      const [row] =
        await database.sql`select sum(attempts)::int as attempts, count(*) filter (where status = 'pending')::int as pending from outbox_messages`;
      expect(row).toEqual({ attempts: 0, pending: 30 });
      // The first set of four, and then one per probe: the ceiling is ten minutes.
      expect(times.length).toBeGreaterThan(4 + 10);
      expect(times.length).toBeLessThan(4 + 120);
    },
  );

  it("goes on by itself when a probe gets through, with everything that waited", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url });
    const ids = await addMessages(database.sql, destination, 20);
    fail(403);
    await run(2 * HOUR);
    receiver.answer = (_, response) => response.writeHead(204).end();
    await run(2 * HOUR + 1_200);
    expect(await breaker(destination)).toEqual({
      status: "active",
      broken: false,
      broken_why: null,
      failures: 0,
      probes: 0,
    });
    const sent = await database.sql`select id from outbox_messages where status = 'sent'`;
    expect(sent).toHaveLength(ids.length);
  });

  it("is found out by different messages that fail in a row", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url, concurrency: 4 });
    await addMessages(database.sql, destination, 40);
    fail(500);
    for (let round = 0; round < 5; round++) await dispatchOnce(work);
    expect(receiver.calls).toHaveLength(8);
    expect(await breaker(destination)).toMatchObject({ broken: true, failures: 8 });
  });

  it("takes nothing from the others, also when nobody listens there at all", async () => {
    const closed = await openReceiver();
    await closed.close();
    const dead = await addDestination(database.sql, { url: closed.url, concurrency: 100 });
    const alive = await addDestination(database.sql, { url: receiver.url });
    await addMessages(database.sql, dead, 200);
    const ids = await addMessages(database.sql, alive, 10);
    for (let round = 0; round < 3; round++) await dispatchOnce(work, 16);
    expect(receiver.calls.map(({ id }) => id).sort()).toEqual(ids);
    expect(await breaker(dead)).toMatchObject({ broken: true, broken_why: "Nobody listens there." });
    const [row] =
      await database.sql`select sum(attempts)::int as attempts from outbox_messages where destination_id = ${dead}`;
    expect(row).toEqual({ attempts: 0 });
  });

  it("and says 410 is disabled: nothing goes there any more", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url, concurrency: 1 });
    await addMessages(database.sql, destination, 5);
    fail(410);
    await run(HOUR);
    expect(receiver.calls).toHaveLength(1);
    expect(await breaker(destination)).toMatchObject({ status: "disabled" });
  });

  it("and asks for time gets it, as far as an hour", async () => {
    const destination = await addDestination(database.sql, { url: receiver.url });
    await addMessages(database.sql, destination);
    receiver.answer = (_, response) => response.writeHead(503, { "retry-after": "1800" }).end();
    await dispatchOnce(work);
    const [row] =
      await database.sql`select extract(epoch from next_attempt_at - now())::float8 as wait from outbox_messages`;
    expect(row!.wait).toBeGreaterThan(1_790);
    expect(row!.wait).toBeLessThan(1_801);
  });
});
