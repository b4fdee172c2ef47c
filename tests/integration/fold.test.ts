import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sweepWaiting } from "#lib/inbox/sweep.ts";
import { createTestDatabase } from "#tests/support/database.ts";
import { SAMPLES } from "#tests/support/effect-samples.ts";
import { createProduct } from "#tests/support/product.ts";
import { addSource, findBroken, send } from "#tests/support/senders.ts";

const RUNS = Number(process.env.FOLD_RUNS ?? 8);
const samples = SAMPLES.filter(({ kind }) => kind === "stripe" || kind === "payments");

/** What the same deliveries, worked on in batches of `size`, leave behind. */
async function run(chosen: readonly number[], size: number) {
  const database = await createTestDatabase();
  try {
    const { sql } = database;
    const product = await createProduct(sql);
    await addSource(sql, { id: "pay", kind: "payments", accounts: [{ account: "acct_1", own: true }] });
    await sql`insert into customer_links (source_id, account, customer, workspace_id) values ('pay', 'acct_1', 'cus_acme', 'ws_acme')`;
    for (const [at, index] of chosen.entries()) {
      const { kind, payload } = samples[index % samples.length]!;
      if (kind === "stripe") await product.deliver({ ...payload, id: `evt_${at}` });
      else await send(product, "pay", { body: JSON.stringify({ ...payload, eventId: `e_${at}` }) });
    }
    const work = async () => {
      while ((await product.work(size)).claimed > 0);
    };
    await work();
    while ((await sweepWaiting(sql)) > 0) await work();
    expect(await findBroken(sql)).toEqual([]);
    const [result] = await sql`
      select (select credit_balance from workspaces where id = 'ws_acme') as balance,
        (select json_agg(json_build_array(invoice, kind, reference, amount, state) order by invoice, kind, reference)
          from money_returns) as returns,
        (select json_agg(json_build_array(payment, invoice) order by payment, invoice) from payment_links) as links,
        (select json_agg(json_build_array(subscription, status, stated_at)) from subscriptions) as subscriptions,
        (select json_agg(json_build_array(transaction, status, version)) from transactions) as transactions,
        (select json_agg(json_build_array(type, status) order by event_id) from inbox_events) as events`;
    return { ...result };
  } finally {
    await database.drop();
  }
}

describe("events of one batch", () => {
  it("come to what they come to one after the other", { timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 1_000 }), { minLength: 4, maxLength: 14 }), async (chosen) => {
        expect(await run(chosen, 100)).toEqual(await run(chosen, 1));
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
