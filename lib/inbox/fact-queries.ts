/** One query per kind of fact. Each takes its needs as JSON in $1 and answers with the need beside the fact. */

const needs = (columns: string, parameter = "$1") =>
  `(select distinct * from json_to_recordset(${parameter}::text::json) as need (${columns})) need`;

const BY_CUSTOMER = '"sourceId" text, account text, customer text';
const BY_INVOICE = '"sourceId" text, account text, invoice text';

export const LINKS = `
select link.source_id as "sourceId", link.account, link.customer, workspace.id as "workspaceId",
  workspace.name as "workspaceName", workspace.tenant_id as "tenantId", workspace.contact,
  workspace.credit_balance as balance
from ${needs(BY_CUSTOMER)}
join customer_links link on (link.source_id, link.account, link.customer) = (need."sourceId", need.account, need.customer)
join workspaces workspace on workspace.id = link.workspace_id
order by workspace.id`;

export const LINKS_LOCKED = `${LINKS} for no key update of workspace`;

export const ENTRIES = `
select entry.source_id as "sourceId", entry.account, entry.subject, entry.operation, entry.amount,
  entry.workspace_id as "workspaceId", entry.paid_amount as "paidAmount", entry.paid_currency as "paidCurrency",
  entry.mode, entry.inbox_event_id as "byEventId", event.event_id as "byExternalId", event.type as "byType",
  entry.created_at as at
from ${needs('"sourceId" text, account text, subject text, operation text')}
join credit_entries entry on (entry.source_id, entry.account, entry.subject, entry.operation)
  = (need."sourceId", need.account, need.subject, need.operation)
join inbox_events event on event.id = entry.inbox_event_id`;

export const PAYMENTS = `
select need."sourceId", need.account, need.payment, link.invoice
from ${needs('"sourceId" text, account text, payment text')}
join payment_links link on (link.source_id, link.account, link.payment) = (need."sourceId", need.account, need.payment)
order by link.invoice`;

/** $1 links, $2 invoices, $3 workspaces: all that can lead to a balance that moves. */
export const LOCK_WORKSPACES = `
select id from workspaces where id in (
  select link.workspace_id from ${needs(BY_CUSTOMER)}
  join customer_links link on (link.source_id, link.account, link.customer) = (need."sourceId", need.account, need.customer)
  union all
  select entry.workspace_id from ${needs(BY_INVOICE, "$2")}
  join credit_entries entry on (entry.source_id, entry.account, entry.subject, entry.operation)
    = (need."sourceId", need.account, need.invoice, 'initial-credit-grant')
  union all
  select workspace from json_to_recordset($3::text::json) as need (workspace text)
) order by id for no key update`;

export const WORKSPACES = `
select id, name, tenant_id as "tenantId", credit_balance as balance from workspaces where id = any($1::text[])`;

/** Digits as text: JSON numbers would be rounded on the way. */
export const INVOICES = `
select need.*,
  (select json_build_object('amount', amount::text, 'workspaceId', workspace_id,
      'paidAmount', paid_amount::text, 'paidCurrency', paid_currency)
    from credit_entries where (source_id, account, subject, operation)
      = (need."sourceId", need.account, need.invoice, 'initial-credit-grant')) as "grant",
  (select coalesce(json_agg(json_build_object('operation', operation, 'amount', amount::text,
      'shortfall', shortfall::text, 'byEventId', inbox_event_id) order by created_at, id), '[]')
    from credit_entries where (source_id, account, subject) = (need."sourceId", need.account, need.invoice)
      and operation like 'credit-reversal:%') as reversals,
  (select coalesce(json_agg(json_build_object('kind', kind, 'reference', reference, 'payment', payment,
      'amount', amount::text, 'state', state) order by kind, reference), '[]')
    from money_returns where (source_id, account, invoice) = (need."sourceId", need.account, need.invoice)) as returns
from ${needs(BY_INVOICE)}`;

/** A projection that is not there yet is answered too: whether it can be fetched is known all the same. */
export const PROJECTIONS = `
select need.*, exists (select from source_credentials where source_id = need."sourceId") as fetched,
  found.status, found.version, found."statedAt", found.source, found."byEventId"
from ${needs('"sourceId" text, account text, projection text, id text')}
left join lateral (
  select status, version, stated_at as "statedAt", state_source as source, inbox_event_id as "byEventId"
  from subscriptions where need.projection = 'subscription'
    and (source_id, account, subscription) = (need."sourceId", need.account, need.id)
  union all
  select status, version, stated_at, state_source, inbox_event_id
  from transactions where need.projection = 'transaction'
    and (source_id, account, transaction) = (need."sourceId", need.account, need.id)
) found on true`;

export const FEEDBACK = `
select need.*, found.inbox_event_id as "byEventId",
  (select coalesce(json_agg(json_build_object('operation', operation, 'byEventId', inbox_event_id) order by created_at, id), '[]')
    from feedback_alerts where (source_id, account, feedback_id) = (need."sourceId", need.account, need.feedback)) as alerts
from ${needs('"sourceId" text, account text, feedback text')}
join feedback found on (found.source_id, found.account, found.feedback_id) = (need."sourceId", need.account, need.feedback)`;
