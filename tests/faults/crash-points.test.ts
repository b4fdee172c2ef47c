import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkInvariants } from "#lib/check/invariants.ts";
import { FAILPOINTS, type Failpoint } from "#lib/failpoint.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { untilNothingIsPending } from "#tests/support/pending.ts";
import { startProcess } from "#tests/support/processes.ts";
import { createProduct, type Product, SECRET, SECRET_KEY } from "#tests/support/product.ts";
import { signStripe, stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

const INVOICES = 20;

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

type Part = "apply" | "retry" | "receive" | "inline" | "replay" | "resolve";

it.each(FAILPOINTS)("%s is died at in some test", async (name) => {
  const [part] = name.split(".");
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith(".test.ts"));
  const texts = await Promise.all(files.map((file) => readFile(join(import.meta.dirname, file), "utf8")));
  expect(texts.some((text) => text.includes(`"${part}"`) || text.includes(`${part}.`))).toBe(true);
});

const points = (part: Part) => FAILPOINTS.filter((name) => name.startsWith(`${part}.`));
const env = (failpoint?: Failpoint) => ({
  DATABASE_URL: database.url,
  SECRET_KEY: SECRET_KEY.toString("base64"),
  COUNTERFOIL_FAILPOINT: failpoint,
  LOG_LEVEL: "error",
});

/** Each invoice with both of its event types. */
async function deliverInvoices(): Promise<string[]> {
  const events = Array.from({ length: INVOICES }, () => stripeInvoice()).flatMap((invoice) => [
    stripeEvent({ type: "invoice.paid" }, invoice),
    stripeEvent({ type: "invoice.payment_succeeded" }, invoice),
  ]);
  const answers = await Promise.all(events.map((event) => product.deliver(event)));
  return answers.map(({ answer }) => answer.event);
}

async function finishWithAnotherWorker(): Promise<void> {
  const worker = startProcess("worker/main.ts", env());
  await untilNothingIsPending(database.sql);
  await worker.kill("SIGTERM");
}

describe("a worker killed", () => {
  it.each(points("apply"))("at %s leaves nothing half applied, and another goes on", async (failpoint) => {
    await deliverInvoices();
    const victim = startProcess("worker/main.ts", env(failpoint));
    let invoices = INVOICES;
    let isAlive = true;
    const load = (async () => {
      for (; isAlive; invoices += INVOICES) await deliverInvoices();
    })();
    expect((await victim.ended).signal).toBe("SIGKILL");
    isAlive = false;
    await load;
    await finishWithAnotherWorker();
    expect(await product.balance()).toBe(BigInt(invoices * 100));
    const [messages] = await database.sql`select count(*)::int as count from outbox_messages`;
    expect(messages).toEqual({ count: invoices });
  });

  it.each(points("retry"))("at %s keeps the row for the next try", async (failpoint) => {
    await deliverInvoices();
    // Settings that cannot be read are the row's own failure: it is scheduled for another try.
    await database.sql`update sources set settings = ${database.sql.json({ credits: "many" })}`;
    const victim = startProcess("worker/main.ts", env(failpoint));
    expect((await victim.ended).signal).toBe("SIGKILL");
    await database.sql`update sources set settings = '{}'`;
    await database.sql`update inbox_events set next_attempt_at = now() where status = 'pending'`;
    await finishWithAnotherWorker();
    expect(await product.balance()).toBe(BigInt(INVOICES * 100));
  });
});

describe.each(["receive", "inline"] as const)("a receiver killed in %s", (part) => {
  it.each(points(part))(
    "at %s keeps or forgets all of an event, and the redelivery is one event",
    async (failpoint) => {
      await database.sql`update sources set settings = ${database.sql.json({ inline: part === "inline" })}`;
      const body = JSON.stringify(stripeEvent());
      const send = async (port: string) => {
        const response = await fetch(`http://127.0.0.1:${port}/api/webhooks/stripe`, {
          method: "POST",
          body,
          headers: { "stripe-signature": signStripe(body, SECRET), "content-type": "application/json" },
        });
        return (await response.json()) as { status: string };
      };
      const victim = startProcess("tests/faults/support/receiver-process.ts", env(failpoint));
      const [, port] = await victim.until(/listening on (\d+)/);
      await expect(send(port!)).rejects.toThrow();
      expect((await victim.ended).signal).toBe("SIGKILL");

      const next = startProcess("tests/faults/support/receiver-process.ts", env());
      const [, nextPort] = await next.until(/listening on (\d+)/);
      // Before the commit the event is new to the other receiver; after it, the row is there and the answer was lost.
      const isKept = !/before-store|inline\.after-insert|before-commit/.test(failpoint);
      expect((await send(nextPort!)).status).toBe(isKept ? "duplicate" : "accepted");
      await next.kill();
      await product.workUntilIdle();
      expect(await product.balance()).toBe(100n);
    },
  );
});

describe("a replay killed", () => {
  it.each(points("replay"))("at %s grants once, then or at the next replay", async (failpoint) => {
    const { answer } = await product.deliver(stripeEvent({}, stripeInvoice({ customer: "cus_late" })));
    await product.workUntilIdle();
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id)
      values ('stripe', 'acct_acme', 'cus_late', 'ws_acme')`;
    const victim = startProcess("tests/faults/support/replay-process.ts", env(failpoint), [answer.event]);
    expect((await victim.ended).signal).toBe("SIGKILL");
    const second = startProcess("tests/faults/support/replay-process.ts", env(), [answer.event]);
    await second.ended;
    const verdict = failpoint === "replay.after-commit" ? "already_applied" : "applied";
    expect(JSON.parse(second.output())).toMatchObject({ verdict });
    expect(await product.balance()).toBe(100n);
  });
});

describe("a person's decision killed", () => {
  it.each(points("resolve"))("at %s is made whole by the next one", async (failpoint) => {
    const { answer } = await product.deliver(stripeEvent({}, stripeInvoice({ amount_paid: -5 })));
    await product.workUntilIdle();
    const victim = startProcess("tests/faults/support/resolve-process.ts", env(failpoint), [answer.event]);
    expect((await victim.ended).signal).toBe("SIGKILL");
    const second = startProcess("tests/faults/support/resolve-process.ts", env(), [answer.event]);
    await second.ended;
    expect(JSON.parse(second.output())).toMatchObject({ ok: true, value: { status: "dismissed" } });
    expect(await database.sql`select from audit_entries`).toHaveLength(1);
  });
});
