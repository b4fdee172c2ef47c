import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Policy } from "#db/states.ts";
import { putDestination } from "#lib/admin/put-destination.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { FAILPOINTS, type Failpoint } from "#lib/failpoint.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { startSmtpPeer } from "#tests/support/peers/smtp-peer.ts";
import { startProcess } from "#tests/support/processes.ts";
import { createProduct, type Product, SECRET_KEY } from "#tests/support/product.ts";
import { openReceiver, type Receiver, stateOf } from "#tests/support/sending.ts";
import { stripeEvent } from "#tests/support/stripe-events.ts";

const ADMIN = { name: "test", scopes: ["ADMIN"] as const };

let database: TestDatabase;
let product: Product;
let receiver: Receiver;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  receiver = await openReceiver();
});
afterEach(async () => {
  const broken = (await checkInvariants(database.sql)).filter(({ ok }) => !ok);
  await receiver.close();
  await database.drop();
  expect(broken).toEqual([]);
});

const points = (part: string) => FAILPOINTS.filter((name) => name.startsWith(part));
const env = (failpoint?: Failpoint, smtp?: string) => ({
  DATABASE_URL: database.url,
  SECRET_KEY: SECRET_KEY.toString("base64"),
  OUTBOUND_ALLOW: "127.0.0.1",
  SMTP_URL: smtp,
  EMAIL_FROM: "counterfoil@acme.example",
  COUNTERFOIL_FAILPOINT: failpoint,
  LOG_LEVEL: "error",
});

async function subscribe(policy: Policy): Promise<void> {
  const allowed = parseAllowances("127.0.0.1");
  if (!allowed.ok) throw new Error(allowed.why);
  const outcome = await putDestination(
    database.sql,
    ADMIN,
    { keys: [SECRET_KEY], outbound: { allow: allowed.allow } },
    {
      id: "hook",
      channel: "webhook",
      topics: ["credit.granted"],
      tenant: null,
      url: receiver.url,
      to: null,
      secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
      policy,
      owner: "owner@acme.example",
    },
  );
  if (!outcome.ok) throw new Error(outcome.problem.message);
}

/** A grant whose messages wait; the id of the one to `destination`. */
async function grant(destination: string): Promise<string> {
  await product.deliver(stripeEvent());
  await product.workUntilIdle();
  const [row] = await database.sql<{ id: string }[]>`
    select id from outbox_messages where destination_id = ${destination}`;
  return row!.id;
}

const endLeases = () =>
  database.sql`update outbox_messages set lease_until = now() - interval '1 second' where status = 'sending'`;

async function until(id: string, statuses: string[]): Promise<void> {
  const deadline = Date.now() + 25_000;
  for (;;) {
    const { status } = await stateOf(database.sql, id);
    if (statuses.includes(status)) return;
    if (Date.now() > deadline) throw new Error(`the message is still ${status}`);
    await sleep(50);
  }
}

/** Dies at the point, and another worker finds the lease over. */
async function dieAndGoOn(failpoint: Failpoint, id: string, smtp?: string): Promise<void> {
  const victim = startProcess("worker/main.ts", env(failpoint, smtp));
  expect((await victim.ended).signal).toBe("SIGKILL");
  await endLeases();
  const next = startProcess("worker/main.ts", env(undefined, smtp));
  await until(id, ["sent", "unknown"]);
  await next.kill("SIGTERM");
}

/** What must have come of it: how often the destination got it, and how it ends, by where the dispatcher died. */
const NOTHING_LEFT = ["send.after-claim", "send.before-start"];
const ALL_DONE = ["send.after-settle"];

function expected(failpoint: Failpoint, resends: boolean): { calls: number; status: string } {
  if (NOTHING_LEFT.includes(failpoint) || ALL_DONE.includes(failpoint)) return { calls: 1, status: "sent" };
  const arrived = failpoint === "send.after-start" ? 0 : 1;
  return resends ? { calls: arrived + 1, status: "sent" } : { calls: arrived, status: "unknown" };
}

describe.each(["review", "duplicate-ok", "idempotent"] as const)(
  "a dispatcher of webhooks (%s) killed",
  (policy) => {
    it.each(points("send"))(
      "at %s sends no second one that the policy forbids, and loses none",
      async (failpoint) => {
        await subscribe(policy);
        const id = await grant("hook");
        await dieAndGoOn(failpoint, id);
        const { calls, status } = expected(failpoint, policy !== "review");
        expect(await stateOf(database.sql, id)).toMatchObject({ status });
        expect(receiver.calls.map((call) => call.id)).toEqual(Array.from({ length: calls }, () => id));
        expect(new Set(receiver.calls.map(({ body }) => body)).size).toBe(Math.min(calls, 1));
      },
    );
  },
);

describe("a dispatcher of e-mail killed", () => {
  it.each(points("send"))("at %s sends the confirmation once, or asks a person", async (failpoint) => {
    const smtp = await startSmtpPeer("accept");
    const id = await grant("email");
    await dieAndGoOn(failpoint, id, smtp.url);
    const { calls, status } = expected(failpoint, false);
    expect(await stateOf(database.sql, id)).toMatchObject({ status });
    expect(smtp.mails).toHaveLength(calls);
    await smtp.close();
  });
});

describe("a dispatcher that stands still beyond its lease", () => {
  it("cannot undo what another has done since; its answer is kept as late", async () => {
    await subscribe("duplicate-ok");
    const id = await grant("hook");
    const held: (() => void)[] = [];
    receiver.answer = (_, response, nth) => {
      if (nth === 1) held.push(() => response.writeHead(500).end("too late"));
      else response.writeHead(200).end("taken");
    };
    const first = startProcess("worker/main.ts", env());
    await expect.poll(() => receiver.calls.length, { timeout: 20_000 }).toBe(1);
    process.kill(first.pid, "SIGSTOP");
    await endLeases();
    const second = startProcess("worker/main.ts", env());
    await until(id, ["sent"]);
    process.kill(first.pid, "SIGCONT");
    held[0]!();
    await expect
      .poll(async () => (await stateOf(database.sql, id)).history, { timeout: 20_000 })
      .toEqual(["lost unknown", "call accepted", "late retry"]);
    expect((await stateOf(database.sql, id)).status).toBe("sent");
    await Promise.all([first.kill("SIGTERM"), second.kill("SIGTERM")]);
  });
});

describe("a worker that is asked to stop", () => {
  it("settles what is under way and leaves no lease behind", async () => {
    await subscribe("review");
    const id = await grant("hook");
    let release = () => {};
    receiver.answer = (_, response) => {
      release = () => response.writeHead(204).end();
    };
    const worker = startProcess("worker/main.ts", env());
    await expect.poll(() => receiver.calls.length, { timeout: 20_000 }).toBe(1);
    const stopped = worker.kill("SIGTERM");
    await sleep(300);
    release();
    await stopped;
    expect(await stateOf(database.sql, id)).toMatchObject({ status: "sent", history: ["call accepted"] });
    const [row] =
      await database.sql`select count(*)::int as leased from outbox_messages where lease_until is not null`;
    expect(row).toEqual({ leased: 0 });
  });
});
