import { v7 as uuidv7 } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkAcks } from "#lib/check/acks.ts";
import { checkInvariants } from "#lib/check/invariants.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";
import { createProduct, type Product } from "#tests/support/product.ts";
import { stripeEvent, stripeInvoice } from "#tests/support/stripe-events.ts";

let database: TestDatabase;
let product: Product;
let event: string;

beforeEach(async () => {
  database = await createTestDatabase();
  product = await createProduct(database.sql);
  event = (await product.deliver(stripeEvent({}, stripeInvoice({ id: "in_1" })))).answer.event;
  await product.deliver(stripeEvent({}, stripeInvoice({ id: "in_2", customer: "cus_unknown" })));
  await product.workUntilIdle();
});
afterEach(() => database.drop());

async function brokenRules(): Promise<string[]> {
  return (await checkInvariants(database.sql)).filter(({ ok }) => !ok).map(({ name }) => name);
}

describe("the invariants", () => {
  it("hold after work was done", async () => {
    expect(await brokenRules()).toEqual([]);
  });

  const dropConstraint = (table: string, name: string) => `alter table ${table} drop constraint ${name};`;
  const NO_KEY = dropConstraint("credit_entries", "credit_entries_business_key");
  const copyGrant = (subject: string, omitted: string) => `
    insert into credit_entries (id, source_id, account, subject, operation, amount, workspace_id, inbox_event_id, mode,
      confirmation_omitted)
    select gen_random_uuid(), source_id, account, ${subject}, operation, amount, workspace_id, inbox_event_id, mode, ${omitted}
    from credit_entries;
    update workspaces set credit_balance = credit_balance + 100 where id = 'ws_acme';`;

  const reverse = (subject: string, amount: number) => `
    insert into credit_entries (id, source_id, account, subject, operation, amount, workspace_id, inbox_event_id, mode)
    select gen_random_uuid(), source_id, account, ${subject}, 'credit-reversal:x', ${amount}, workspace_id, inbox_event_id, mode
    from credit_entries;
    update workspaces set credit_balance = credit_balance + (${amount}) where id = 'ws_acme';`;

  it.each<[string, string, string[]]>([
    [
      "a balance that moved alone",
      "update workspaces set credit_balance = 101 where id = 'ws_acme'",
      ["balance_is_sum_of_entries"],
    ],
    [
      "a second grant",
      NO_KEY + copyGrant("subject", "'twin'"),
      ["one_grant_per_invoice", "grant_has_confirmation"],
    ],
    ["a second grant in another spelling", copyGrant("subject || ' '", "'twin'"), ["one_grant_per_invoice"]],
    [
      "a grant whose event is not done",
      "update inbox_events set status = 'ignored', outcome = null where status = 'done'",
      ["grant_event_is_done", "effects_only_on_done_events"],
    ],
    ["a grant without intent or reason", "delete from outbox_messages", ["grant_has_confirmation"]],
    [
      "a grant with intent and reason",
      "update credit_entries set confirmation_omitted = 'x'",
      ["grant_has_confirmation"],
    ],
    [
      "a confirmation without its grant",
      "delete from credit_entries; update workspaces set credit_balance = 0",
      ["confirmation_has_grant", "applied_effect_has_entry"],
    ],
    [
      "a done event without effects",
      "delete from inbox_effects",
      ["grant_event_is_done", "done_event_has_effects"],
    ],
    [
      "a pending event without a body",
      "update inbox_events set status = 'pending', waits_kind = null, waits_key = null, next_attempt_at = now() where status = 'waiting'; delete from inbox_bodies",
      ["pending_event_has_body"],
    ],
    [
      "a waiting event that is due",
      `${dropConstraint("inbox_events", "inbox_events_pending")} update inbox_events set next_attempt_at = now() where status = 'waiting'`,
      ["inbox_state_fits_columns"],
    ],
    [
      "a sent message without its end",
      `${dropConstraint("outbox_messages", "outbox_messages_finished")} update outbox_messages set status = 'sent', next_attempt_at = null`,
      ["outbox_state_fits_columns", "sent_was_accepted"],
    ],
    [
      "an abandoned message whose window is not over",
      "update outbox_messages set status = 'abandoned', next_attempt_at = null, finished_at = now()",
      ["abandoned_after_window"],
    ],
    [
      "a lease that nobody took back",
      "update outbox_messages set status = 'sending', next_attempt_at = null, lease_token = gen_random_uuid(), lease_until = now() - interval '2 minutes'",
      ["sending_within_lease"],
    ],
    [
      "a message for a destination that does not exist",
      "update outbox_messages set destination_id = 'nowhere'",
      ["message_has_destination"],
    ],
    [
      "a delivery of no event",
      "insert into inbox_deliveries (inbox_event_id, ordinal, origin, body_digest) values (gen_random_uuid(), 2, 'webhook', '')",
      ["records_have_their_event"],
    ],
    [
      "a link into another tenant",
      "update customer_links set workspace_id = 'ws_other'",
      ["links_stay_in_tenant"],
    ],
    [
      "two own accounts",
      "insert into source_accounts (source_id, account, tenant_id, mode, own) values ('stripe', 'acct_b', 'acme', 'live', true)",
      ["one_own_account_per_source"],
    ],
    [
      "an operation that is done with an item left",
      `insert into operations (id, action, actor, reason, status, finished_at, filter, item_count)
        values ('00000000-0000-7000-8000-000000000001', 'replay', 'x', 'x', 'done', now(), '{}', 1);
        insert into operation_items (operation_id, inbox_event_id)
        select '00000000-0000-7000-8000-000000000001', id from inbox_events limit 1;`,
      ["ended_operation_has_verdicts"],
    ],
    [
      "an accepted content that is not the event's",
      `insert into inbox_conflicts (id, inbox_event_id, content_digest, body, headers, why, resolved_at, resolution)
        select gen_random_uuid(), id, sha256(kind::bytea), '', '{}', 'x', now(), kind
        from (select id from inbox_events limit 1) e, (values ('accepted'), ('replaced')) kinds (kind);`,
      ["accepted_content_is_processed"],
    ],
    ["a reversal without its grant", reverse("'in_9'", -10), ["reversal_has_grant", "reversed_within_grant"]],
    ["more taken back than was granted", reverse("'in_1'", -101), ["reversed_within_grant"]],
    ["more given back than was taken", reverse("'in_1'", 1), ["reversed_within_grant"]],
    [
      "a subscription that nobody will fetch",
      "insert into subscriptions (source_id, account, subscription, marks) values ('stripe', 'acct_acme', 'sub_1', 1)",
      ["marked_subscription_is_due"],
    ],
    [
      "an alert twice, in another spelling",
      `insert into feedback (source_id, account, feedback_id, tenant_id, inbox_event_id)
        select 'stripe', 'p', 'fb', 'acme', id from inbox_events limit 1;
      insert into feedback_alerts (id, source_id, account, feedback_id, operation, inbox_event_id)
        select gen_random_uuid(), 'stripe', 'p', 'fb', operation, id
        from (select id from inbox_events limit 1) event, unnest(array['initial-alert', 'Initial-Alert ']) operation`,
      ["one_alert_per_feedback_operation"],
    ],
  ])("find %s", async (_, damage, rules) => {
    await database.sql.unsafe(damage);
    expect(await brokenRules()).toEqual(rules);
  });

  it("show twenty of the offending rows and count them all", async () => {
    await database.sql`insert into workspaces (id, tenant_id, name, credit_balance)
      select 'ws_' || n, 'acme', 'W', 1 from generate_series(1, 30) n`;
    const [balance] = await checkInvariants(database.sql);
    expect(balance).toMatchObject({ name: "balance_is_sum_of_entries", ok: false, count: 30 });
    expect(balance!.violations).toHaveLength(20);
    expect(balance!.violations[0]).toMatchObject({ balance: "1", sum: "0" });
  });
});

describe("checkAcks", () => {
  it("accepts what is stored, in any case and twice", async () => {
    expect(await checkAcks(database.sql, [event, ` ${event.toUpperCase()} `])).toMatchObject({
      ok: true,
      count: 0,
    });
  });

  it("names what is not stored, and what is no uuid", async () => {
    const lost = uuidv7();
    const check = await checkAcks(database.sql, [event, lost, "'; drop table inbox_events"]);
    expect(check).toMatchObject({ ok: false, count: 2 });
    expect(check.violations).toEqual([
      { ack: "'; drop table inbox_events", problem: "not a uuid" },
      { ack: lost, problem: "not stored" },
    ]);
  });
});
