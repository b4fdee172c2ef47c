import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replayEvent } from "#lib/inbox/replay.ts";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { addSource, findBroken, findEvent, send } from "#tests/support/senders.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";
import {
  stripeCharge,
  stripeDispute,
  stripeEventOf,
  stripeInvoicePayment,
  stripeRefund,
} from "#tests/support/stripe-money.ts";

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

const invoice = (overrides = {}) =>
  stripeEvent({}, stripeInvoice({ id: "in_1", charge: "ch_1", payment_intent: "pi_1", ...overrides }));
const refunded = (amount: number) =>
  stripeEventOf("charge.refunded", stripeCharge({ amount_refunded: amount }));

// biome-ignore lint/suspicious/noExplicitAny: tests assert what is in it
async function deliver(event: unknown): Promise<Record<string, any>> {
  const { answer } = await product.deliver(event);
  await product.workUntilIdle();
  return { ...(await findEvent(database.sql, answer.event)), id: answer.event };
}

const entries = async () =>
  (
    await database.sql`select operation, amount, shortfall, workspace_id as workspace from credit_entries
      where operation <> 'initial-credit-grant' order by created_at, id`
  ).map((row) => ({ ...row }));

describe("a refund", () => {
  it("takes back its share, once, under its own operation", async () => {
    await deliver(invoice());
    const row = await deliver(refunded(500));
    expect(row).toMatchObject({ status: "done", outcome: "applied", subject: "in_1" });
    expect(row.why).toBe("50 credits taken back from Acme: 500 of 1000 usd went back");
    await deliver(refunded(500));
    expect(await product.balance()).toBe(50n);
    expect(await entries()).toEqual([
      { operation: "credit-reversal:charge:500", amount: -50n, shortfall: 0n, workspace: "ws_acme" },
    ]);
  });

  it("before the invoice waits for the payment's link, and the grant's own transaction releases it", async () => {
    const early = await deliver(refunded(1000));
    expect(early).toMatchObject({ status: "waiting", waitsKind: "link", subject: "ch_1" });
    const { answer } = await product.deliver(invoice());
    await product.work();
    expect(await findEvent(database.sql, answer.event)).toMatchObject({ outcome: "applied" });
    expect(await findEvent(database.sql, early.id)).toMatchObject({ status: "pending" });
    await product.workUntilIdle();
    expect(await findEvent(database.sql, early.id)).toMatchObject({ outcome: "applied", subject: "in_1" });
    expect(await product.balance()).toBe(0n);
  });

  it("in the same batch as its invoice, whichever is first, is made", async () => {
    await product.deliver(refunded(1000));
    await product.deliver(invoice());
    await product.workUntilIdle();
    expect(await product.balance()).toBe(0n);
    expect(await entries()).toHaveLength(1);
  });

  it("of a linked payment waits for the grant, and hits the grant's workspace, not the present link's", async () => {
    await deliver(stripeEventOf("invoice_payment.paid", stripeInvoicePayment()));
    const early = await deliver(refunded(250));
    expect(early).toMatchObject({ status: "waiting", waitsKind: "event" });
    await database.sql`insert into workspaces (id, tenant_id, name) values ('ws_new', 'acme', 'New')`;
    await deliver(invoice({ charge: null, payment_intent: null }));
    await database.sql`update customer_links set workspace_id = 'ws_new'`;
    await deliver(refunded(750));
    expect(await product.balance("ws_acme")).toBe(25n);
    expect(await product.balance("ws_new")).toBe(0n);
  });

  it("whose wake-up was lost is found by the sweep", async () => {
    const early = await deliver(refunded(1000));
    await deliver(invoice());
    await database.sql`update inbox_events set status = 'waiting', waits_kind = 'event', waits_key = 'in_1', outcome = null,
      finished_at = null where id = ${early.id}`;
    await database.sql`delete from inbox_effects where inbox_event_id = ${early.id}`;
    expect(await sweepWaiting(database.sql)).toBe(1);
    await product.workUntilIdle();
    expect(await findEvent(database.sql, early.id)).toMatchObject({
      status: "done",
      outcome: "already_applied",
    });
  });

  it("is told to nobody twice by a replay, and the replay says by which receipt", async () => {
    await deliver(invoice());
    const { id } = await deliver(refunded(500));
    const answer = await replayEvent(database.sql, { id, actor: "support", reason: "sure?", dryRun: false });
    expect(answer).toMatchObject({ verdict: "already_applied", by: id });
    expect(await product.balance()).toBe(50n);
  });

  it("many of them at the same time, beside the grant, end at the right sum", async () => {
    const events = [
      invoice(),
      ...[100, 300, 600].map(refunded),
      ...["re_1", "re_2", "re_3"].map((id, at) =>
        stripeEventOf("refund.created", stripeRefund({ id, amount: [100, 200, 300][at] })),
      ),
      stripeEventOf("charge.dispute.created", stripeDispute({ amount: 400 })),
    ];
    await Promise.all(events.map((event) => product.deliver(event)));
    await Promise.all([product.work(2), product.work(2), product.work(2), product.work(2)]);
    // What began to wait while the link was being committed is found by the sweep, a minute later at most.
    await sweepWaiting(database.sql);
    await product.workUntilIdle();
    expect(await product.balance()).toBe(0n);
    await deliver(stripeEventOf("charge.dispute.closed", stripeDispute({ amount: 400, status: "won" })));
    expect(await product.balance()).toBe(40n);
  });
});

describe("a source with a floor", () => {
  it("takes what the balance holds and records the rest", async () => {
    await database.sql`update sources set settings = ${database.sql.json({ negativeBalances: "floor" })}`;
    await deliver(invoice());
    await database.sql`insert into sources (id, kind, name) values ('manual', 'manual', 'By hand')`;
    await database.sql`with spent as (insert into credit_entries (id, source_id, account, subject, operation, amount, workspace_id, inbox_event_id, mode)
      select gen_random_uuid(), 'manual', 'own', 'k', 'credit-reversal:k', -70, 'ws_acme', id, 'live' from inbox_events)
      update workspaces set credit_balance = credit_balance - 70 where id = 'ws_acme'`;
    const row = await deliver(refunded(1000));
    expect(row.why).toContain("30 credits taken back from Acme, and 70 more could not be");
    expect(await product.balance()).toBe(0n);
  });
});

describe("an entry that was made outside the locks meanwhile", () => {
  it("makes the batch decide again as a whole, and no balance moves twice", async () => {
    const { id } = await deliver(stripeEvent({}, stripeInvoice({ id: "in_0" })));
    await product.deliver(invoice());
    await product.deliver(refunded(1000));
    let commit = () => {};
    const held = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const outsider = database.sql.begin(async (tx) => {
      await tx`insert into credit_entries (id, source_id, account, subject, operation, amount, workspace_id, inbox_event_id, mode,
          paid_amount, paid_currency, confirmation_omitted)
        values (gen_random_uuid(), 'stripe', 'acct_acme', 'in_1', 'initial-credit-grant', 100, 'ws_acme', ${id}, 'live', 1000, 'usd', 'test')`;
      await held;
      await tx`update workspaces set credit_balance = credit_balance + 100 where id = 'ws_acme'`;
    });
    const working = product.work();
    await expect
      .poll(async () => {
        const [{ count }] = (await database.sql`select count(*)::int from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`) as unknown as [{ count: number }];
        return count;
      })
      .toBeGreaterThan(0);
    commit();
    await Promise.all([outsider, working]);
    await product.workUntilIdle();
    const events = await database.sql`select outcome from inbox_events where subject = 'in_1' order by type`;
    expect(events.map(({ outcome }) => outcome)).toEqual(["applied", "already_applied"]);
    expect(await product.balance()).toBe(100n);
  });
});

describe("a payments sender", () => {
  const post = async (body: object) => {
    const { answer } = await send(product, "pay", { body: JSON.stringify(body) });
    await product.workUntilIdle();
    return { id: answer.event, ...(await findEvent(database.sql, answer.event)) };
  };
  const transaction = {
    transactionId: "tx_77",
    merchantId: "m_1",
    customerId: "c_1",
    amount: 1999,
    currency: "EUR",
  };

  beforeEach(async () => {
    await addSource(database.sql, { id: "pay", kind: "payments", accounts: [{ account: "m_1", own: true }] });
    await database.sql`insert into customer_links (source_id, account, customer, workspace_id) values ('pay', 'm_1', 'c_1', 'ws_acme')`;
  });

  it("grants once per transaction, whatever the number of events, and a checkout only links", async () => {
    const checkout = await post({
      eventId: "e0",
      type: "CHECKOUT_SESSION_PAID",
      checkoutSessionId: "cs_1",
      ...transaction,
    });
    expect(checkout).toMatchObject({ status: "done", outcome: "linked", why: "cs_1 paid tx_77" });
    expect(await product.balance()).toBe(0n);
    expect(await post({ eventId: "e1", type: "TRANSACTION_SUCCEEDED", ...transaction })).toMatchObject({
      outcome: "applied",
    });
    expect(await post({ eventId: "e2", type: "TRANSACTION_SUCCEEDED", ...transaction })).toMatchObject({
      outcome: "already_applied",
    });
    expect(await product.balance()).toBe(100n);
    const [link] = await database.sql`select payment, invoice from payment_links`;
    expect(link).toEqual({ payment: "cs_1", invoice: "tx_77" });
  });

  it("gives back by refund id or by running total", async () => {
    await post({ eventId: "e1", type: "TRANSACTION_SUCCEEDED", ...transaction });
    await post({
      eventId: "e2",
      type: "TRANSACTION_REFUNDED",
      ...transaction,
      refundId: "r_1",
      amount: 1000,
    });
    await post({ eventId: "e3", type: "TRANSACTION_REFUNDED", ...transaction, amountRefunded: 1999 });
    expect(await entries()).toMatchObject([
      { operation: "credit-reversal:r_1", amount: -50n },
      { operation: "credit-reversal:charge:1999", amount: -50n },
    ]);
    expect(
      await post({ eventId: "e4", type: "TRANSACTION_REFUNDED", ...transaction, amount: 5 }),
    ).toMatchObject({
      status: "failed",
      failureClass: "invalid",
    });
  });

  it("that writes decimals is read by its digits, and a float never", async () => {
    await database.sql`update sources set settings = ${database.sql.json({ amounts: "decimal" })} where id = 'pay'`;
    await post({ eventId: "e1", type: "TRANSACTION_SUCCEEDED", ...transaction, amount: "8.20" });
    const [entry] = await database.sql`select paid_amount from credit_entries`;
    expect(entry).toEqual({ paid_amount: 820n });
    for (const amount of [19.99, "19.999", "1e3", "-5.00", "", null, 2147483648.5]) {
      const row = await post({
        eventId: `e-${amount}`,
        type: "TRANSACTION_SUCCEEDED",
        ...transaction,
        amount,
      });
      expect(row).toMatchObject({ status: "failed", failureClass: "invalid" });
    }
  });
});

describe("a correction by hand", () => {
  it("is one entry under its key, in the workspace that it names", async () => {
    await database.sql`insert into sources (id, kind, name) values ('manual', 'manual', 'By hand') on conflict do nothing`;
    await database.sql`insert into source_accounts (source_id, account, tenant_id, mode, own) values ('manual', 'own', 'acme', 'live', true)
      on conflict do nothing`;
    const body = Buffer.from(JSON.stringify({ workspace: "ws_acme", amount: -25, reason: "typo" }));
    await database.sql`with event as (
        insert into inbox_events (id, source_id, account, event_id, type, mode, subject, status, next_attempt_at, content_digest, body_digest,
          body_bytes, body_expires_on)
        values (gen_random_uuid(), 'manual', 'own', 'key-1', 'credit.correction', 'live', 'key-1', 'pending', now(), sha256(${body}),
          sha256(${body}), ${body.length}, current_date + 30) returning id)
      insert into inbox_bodies (expires_on, inbox_event_id, body, headers) select current_date + 30, id, ${body}, '{}' from event`;
    await product.workUntilIdle();
    expect(await product.balance()).toBe(-25n);
    expect(await entries()).toMatchObject([{ operation: "credit-reversal:key-1", amount: -25n }]);
  });
});
