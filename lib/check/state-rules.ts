import type { Rule } from "./check.ts";

/** Effects whose "applied" is an entry in the ledger; an operation is named after its effect. */
const LEDGER_EFFECTS = "('initial-credit-grant', 'credit-reversal')";
const OPERATION_OF_EFFECT = "(entry.operation = effect.effect or entry.operation like effect.effect || ':%')";

const EVENT =
  "event.id::text as event, event.source_id as source, event.event_id as external_id, event.status";

/** No row in a state that its columns, or the rows that belong to it, contradict. */
export const STATE_RULES: readonly Rule[] = [
  {
    name: "inbox_state_fits_columns",
    rule: "An inbox event has exactly the columns that its state calls for.",
    // What the CHECK constraints say, said again: a constraint may be missing or not yet validated.
    query: `
      select ${EVENT} from inbox_events event where
        (event.status = 'done') <> (event.outcome is not null)
        or (event.status = 'failed') <> (event.failure_class is not null)
        or (event.status = 'waiting') <> (event.waits_kind is not null)
        or (event.waits_kind is null) <> (event.waits_key is null)
        or (event.status = 'pending') <> (event.next_attempt_at is not null)
        or (event.status in ('done', 'ignored', 'dismissed')) <> (event.finished_at is not null)
        or event.attempts < event.round_attempts or event.round_attempts < 0`,
  },
  {
    name: "done_event_has_effects",
    rule: "A done event has the verdict of its effects, and its outcome is one of theirs.",
    query: `
      select ${EVENT}, event.outcome from inbox_events event
      where event.status = 'done' and not exists (
        select from inbox_effects effect where effect.inbox_event_id = event.id and effect.outcome = event.outcome)`,
  },
  {
    name: "effects_only_on_done_events",
    rule: "Only a done event has effects.",
    query: `
      select ${EVENT}, effect.effect, effect.outcome
      from inbox_effects effect join inbox_events event on event.id = effect.inbox_event_id
      where event.status <> 'done'`,
  },
  {
    name: "applied_effect_has_entry",
    rule: "An effect that says it was applied has its entry in the ledger; one already applied, that of another receipt.",
    query: `
      select effect.inbox_event_id::text as event, effect.effect, effect.outcome, effect.by_event_id::text as by_event
      from inbox_effects effect
      where effect.effect in ${LEDGER_EFFECTS} and effect.outcome in ('applied', 'already_applied') and not exists (
        select from credit_entries entry where ${OPERATION_OF_EFFECT} and entry.inbox_event_id =
          case effect.outcome when 'applied' then effect.inbox_event_id else coalesce(effect.by_event_id, effect.inbox_event_id) end)`,
  },
  {
    name: "pending_event_has_body",
    rule: "An event that is yet to be processed has its body.",
    query: `
      select ${EVENT}, event.body_expires_on::text as expires_on from inbox_events event
      where event.status = 'pending' and not exists (
        select from inbox_bodies body
        where body.expires_on = event.body_expires_on and body.inbox_event_id = event.id)`,
  },
  {
    name: "records_have_their_event",
    rule: "Deliveries, attempts and conflicts belong to an event that exists.",
    query: `
      select record.what, record.id::text as event from (
        select 'delivery' as what, inbox_event_id as id from inbox_deliveries
        union select 'count', inbox_event_id from inbox_delivery_counts
        union select 'attempt', inbox_event_id from inbox_attempts
        union select 'conflict', inbox_event_id from inbox_conflicts
      ) record
      where not exists (select from inbox_events event where event.id = record.id)`,
  },
  {
    name: "links_stay_in_tenant",
    rule: "A customer is linked to a workspace of the tenant that its account belongs to.",
    query: `
      select link.source_id as source, link.account, link.customer, workspace.tenant_id as workspace_tenant,
        account.tenant_id as account_tenant
      from customer_links link
      join source_accounts account on (account.source_id, account.account) = (link.source_id, link.account)
      join workspaces workspace on workspace.id = link.workspace_id
      where workspace.tenant_id <> account.tenant_id`,
  },
  {
    name: "one_own_account_per_source",
    rule: "The own accounts of a source share one base id.",
    query: `
      select source_id as source, string_agg(account, ' ' order by account) as accounts
      from source_accounts where own
      group by source_id having count(distinct regexp_replace(account, '~test$', '')) > 1`,
  },
];
