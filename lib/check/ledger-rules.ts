import type { Rule } from "./check.ts";

const IS_GRANT = "lower(btrim(entry.operation)) = 'initial-credit-grant'";
const IS_REVERSAL = "entry.operation like 'credit-reversal:%'";
/** The confirmation is one purpose of a grant's messages; destinations that subscribe to the topic get others. */
const IS_CONFIRMATION =
  "message.topic = 'credit.granted' and message.operation_key::json ->> 4 = 'confirmation'";
const SAME_BUSINESS_KEY = `(message.source_id, message.account, message.subject, message.operation)
  = (entry.source_id, entry.account, entry.subject, entry.operation)`;

/** Money and what follows from it. */
export const LEDGER_RULES: readonly Rule[] = [
  {
    name: "balance_is_sum_of_entries",
    rule: "Every workspace's balance equals the sum of its entries.",
    query: `
      select workspace.id as workspace, workspace.credit_balance::text as balance, coalesce(entries.sum, 0)::text as sum
      from workspaces workspace
      left join (select workspace_id, sum(amount) as sum from credit_entries group by 1) entries
        on entries.workspace_id = workspace.id
      where workspace.credit_balance <> coalesce(entries.sum, 0)`,
  },
  {
    name: "one_grant_per_invoice",
    rule: "An invoice has at most one initial-credit-grant, however its key is spelled.",
    // The unique key compares exactly; white space and case are how a second spelling would slip past it.
    query: `
      select entry.source_id as source, btrim(lower(entry.account)) as account, btrim(entry.subject) as invoice,
        count(*)::int as grants, string_agg(entry.inbox_event_id::text, ' ' order by entry.created_at) as events
      from credit_entries entry where ${IS_GRANT}
      group by 1, 2, 3 having count(*) > 1`,
  },
  {
    name: "grant_event_is_done",
    rule: "The inbox event of every grant is done, of the same source and account, and has an applied effect.",
    query: `
      select entry.id::text as entry, entry.subject as invoice, event.id::text as event, event.status
      from credit_entries entry
      left join inbox_events event on event.id = entry.inbox_event_id
      where ${IS_GRANT} and (
        event.id is null or event.status <> 'done'
        or (event.source_id, event.account) <> (entry.source_id, entry.account)
        or not exists (select from inbox_effects effect where effect.inbox_event_id = event.id
          and effect.effect = entry.operation and effect.outcome = 'applied'))`,
  },
  {
    name: "grant_has_confirmation",
    rule: "Every grant has exactly one confirmation intent, or the recorded reason why it has none.",
    query: `
      select entry.id::text as entry, entry.subject as invoice, count(message.id)::int as intents,
        entry.confirmation_omitted as omitted
      from credit_entries entry
      left join outbox_messages message on ${SAME_BUSINESS_KEY} and ${IS_CONFIRMATION}
      where ${IS_GRANT}
      group by entry.id having count(message.id) <> case when entry.confirmation_omitted is null then 1 else 0 end`,
  },
  {
    name: "confirmation_has_grant",
    rule: "There is no confirmation without its grant, and it came from the same event.",
    query: `
      select message.id::text as message, message.subject as invoice, message.inbox_event_id::text as event
      from outbox_messages message
      where ${IS_CONFIRMATION} and not exists (
        select from credit_entries entry
        where ${SAME_BUSINESS_KEY} and entry.inbox_event_id = message.inbox_event_id)`,
  },
  {
    name: "reversal_has_grant",
    rule: "There is no reversal without its grant, and it is in the grant's workspace; corrections by hand have none.",
    query: `
      select entry.id::text as entry, entry.source_id as source, entry.subject as invoice, entry.operation
      from credit_entries entry
      left join sources source on source.id = entry.source_id
      where ${IS_REVERSAL} and source.kind is distinct from 'manual' and not exists (
        select from credit_entries granted
        where (granted.source_id, granted.account, granted.subject, granted.operation, granted.workspace_id)
          = (entry.source_id, entry.account, entry.subject, 'initial-credit-grant', entry.workspace_id))`,
  },
  {
    name: "reversed_within_grant",
    rule: "Of an invoice no more is taken back than was granted, and no more is given back than was taken.",
    query: `
      select source_id as source, account, subject as invoice, granted::text, taken::text, shortfall::text from (
        select entry.source_id, entry.account, entry.subject,
          coalesce(sum(entry.amount) filter (where ${IS_GRANT}), 0) as granted,
          coalesce(-sum(entry.amount) filter (where ${IS_REVERSAL}), 0) as taken,
          coalesce(sum(entry.shortfall) filter (where ${IS_REVERSAL}), 0) as shortfall
        from credit_entries entry
        where not exists (select from sources source where source.id = entry.source_id and source.kind = 'manual')
        group by 1, 2, 3
      ) sums
      where taken < 0 or shortfall < 0 or taken + shortfall > granted`,
  },
];
