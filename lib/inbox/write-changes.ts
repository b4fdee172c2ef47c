import { v7 as uuidv7 } from "uuid";
import type { Tx } from "#db/client.ts";
import type { Changes } from "#lib/effects/types.ts";
import { MetTwin } from "./met-twin.ts";
import type { Settled } from "./write-settlements.ts";

type Kind = "links" | "returns" | "projections" | "feedback";
type Item<K extends Kind> = NonNullable<Changes[K]>[number];

/** Statements per kind of change, in the order in which everybody takes their locks. */
const STATEMENTS: Record<Kind, string> = {
  links: `
insert into payment_links (source_id, account, payment, invoice, inbox_event_id)
select distinct on (source, account, payment, invoice) source, account, payment, invoice, event
from json_to_recordset($1::text::json) as link (event uuid, source text, account text, payment text, invoice text)
order by source, account, payment, invoice
on conflict do nothing`,

  // The last of a batch is the sum of all before it, for each was merged into what the one before had told.
  returns: `
insert into money_returns (source_id, account, invoice, kind, reference, payment, amount, state, inbox_event_id)
select distinct on (source, account, invoice, kind, reference)
  source, account, invoice, kind, reference, payment, amount, state, event
from json_to_recordset($1::text::json) as told (at int, event uuid, source text, account text, invoice text, kind text,
  reference text, payment text, amount bigint, state text)
order by source, account, invoice, kind, reference, at desc
on conflict (source_id, account, invoice, kind, reference) do update
  set amount = excluded.amount, state = excluded.state, inbox_event_id = excluded.inbox_event_id, updated_at = now()`,

  // A mark only asks for the state; one that is fetched at this moment is asked for once more.
  projections: `
with told as materialized (
  select * from json_to_recordset($1::text::json) as told (at int, event uuid, source text, account text, kind text,
    id text, customer text, mark boolean, status text, version bigint, "statedAt" bigint, amount bigint, currency text)
), last as materialized (
  select distinct on (source, account, kind, id) *,
    count(*) filter (where mark) over (partition by source, account, kind, id) as marks,
    first_value(status) over newest as "lastStatus", first_value(version) over newest as "lastVersion",
    first_value("statedAt") over newest as "lastStatedAt", first_value(amount) over newest as "lastAmount",
    first_value(currency) over newest as "lastCurrency"
  from told
  window newest as (partition by source, account, kind, id order by (status is null), at desc)
  order by source, account, kind, id, at desc
), marked as (
  insert into subscriptions (source_id, account, subscription, customer, status, version, state_source, stated_at,
    inbox_event_id, marks, refresh_at)
  select source, account, id, customer, "lastStatus", "lastVersion", case when "lastStatus" is not null then 'event' end,
    "lastStatedAt", event, marks, case when marks > 0 then now() end
  from last where kind = 'subscription'
  on conflict (source_id, account, subscription) do update set
    customer = coalesce(excluded.customer, subscriptions.customer),
    status = coalesce(excluded.status, subscriptions.status),
    state_source = coalesce(excluded.state_source, subscriptions.state_source),
    version = coalesce(excluded.version, subscriptions.version),
    stated_at = coalesce(excluded.stated_at, subscriptions.stated_at),
    marks = subscriptions.marks + excluded.marks,
    refresh_at = coalesce(least(excluded.refresh_at, subscriptions.refresh_at), excluded.refresh_at, subscriptions.refresh_at),
    inbox_event_id = excluded.inbox_event_id, updated_at = now()
)
insert into transactions (source_id, account, transaction, customer, status, version, state_source, stated_at,
  inbox_event_id, amount, currency)
select source, account, id, customer, "lastStatus", "lastVersion", case when "lastStatus" is not null then 'event' end,
  "lastStatedAt", event, "lastAmount", "lastCurrency"
from last where kind = 'transaction'
on conflict (source_id, account, transaction) do update set
  customer = coalesce(excluded.customer, transactions.customer),
  status = coalesce(excluded.status, transactions.status),
  state_source = coalesce(excluded.state_source, transactions.state_source),
  version = coalesce(excluded.version, transactions.version),
  stated_at = coalesce(excluded.stated_at, transactions.stated_at),
  amount = coalesce(excluded.amount, transactions.amount),
  currency = coalesce(excluded.currency, transactions.currency),
  inbox_event_id = excluded.inbox_event_id, updated_at = now()`,

  feedback: `
with told as materialized (
  select * from json_to_recordset($1::text::json) as told (at int, event uuid, source text, account text, tenant text,
    feedback text, category text, text text, escalated boolean, alert text, "alertId" uuid)
), stored as (
  insert into feedback (source_id, account, feedback_id, tenant_id, status, category, text, inbox_event_id)
  select distinct on (source, account, feedback) source, account, feedback, tenant,
    case when bool_or(escalated) over same then 'escalated' else 'new' end,
    first_value(category) over (same order by (category is null), at),
    first_value(text) over (same order by (text is null), at), event
  from told window same as (partition by source, account, feedback)
  order by source, account, feedback, at
  on conflict (source_id, account, feedback_id) do update set
    category = coalesce(feedback.category, excluded.category), text = coalesce(feedback.text, excluded.text),
    status = case when excluded.status = 'escalated' then 'escalated' else feedback.status end,
    version = feedback.version + (excluded.status = 'escalated' and feedback.status <> 'escalated')::int,
    updated_at = now()
)
insert into feedback_alerts (id, source_id, account, feedback_id, operation, inbox_event_id)
select "alertId", source, account, feedback, alert, event from told where alert is not null
order by source, account, feedback, alert
on conflict (source_id, account, feedback_id, operation) do nothing`,
};

/** How each kind of change travels as JSON. Bigints travel as digits. */
const COLUMNS: { [K in Kind]: (item: Item<K>) => object } = {
  links: (link) => link,
  returns: (told) => ({ ...told, amount: told.amount.toString() }),
  projections: ({ state, ...rest }) => ({
    ...rest,
    ...(state && {
      ...state,
      version: state.version?.toString() ?? null,
      statedAt: state.statedAt?.toString() ?? null,
      amount: state.amount?.toString() ?? null,
    }),
  }),
  feedback: ({ feedbackId, ...rest }) => ({ ...rest, feedback: feedbackId }),
};

/** An alert's uuid is made before anything is written: messages about it carry it. */
export const alertKey = (eventId: string, feedback: string, operation: string) =>
  JSON.stringify([eventId, feedback, operation]);

export function makeAlertIds(batch: readonly Settled[]): Map<string, string> {
  const ids = new Map<string, string>();
  for (const { row, verdicts } of batch) {
    for (const { feedbackId, alert } of verdicts.flatMap(({ changes }) => changes.feedback ?? [])) {
      if (alert) ids.set(alertKey(row.id, feedbackId, alert), uuidv7());
    }
  }
  return ids;
}

/** Writes what follows from a batch's verdicts beside ledger and outbox: one statement per kind that occurs. */
export async function writeChanges(
  tx: Tx,
  batch: readonly Settled[],
  alertIds: ReadonlyMap<string, string>,
): Promise<void> {
  await write(tx, batch, "links");
  await write(tx, batch, "returns");
  await write(tx, batch, "projections");
  const told = collect(batch, "feedback").map((item) => {
    const { event, feedback, alert } = item as { event: string; feedback: string; alert: string | null };
    return { ...item, alertId: alert && alertIds.get(alertKey(event, feedback, alert)) };
  });
  if (told.length === 0) return;
  const { count } = await tx.unsafe(STATEMENTS.feedback, [JSON.stringify(told)], { prepare: true });
  if (count < alertIds.size) throw new MetTwin("an alert of this batch was made meanwhile");
}

async function write(tx: Tx, batch: readonly Settled[], kind: Kind): Promise<void> {
  const items = collect(batch, kind);
  if (items.length > 0) await tx.unsafe(STATEMENTS[kind], [JSON.stringify(items)], { prepare: true });
}

function collect<K extends Kind>(batch: readonly Settled[], kind: K): object[] {
  let at = 0;
  return batch.flatMap(({ row, verdicts }) =>
    verdicts.flatMap(({ changes }) =>
      ((changes[kind] ?? []) as Item<K>[]).map((item) => ({
        ...COLUMNS[kind](item),
        at: at++,
        event: row.id,
        source: row.sourceId,
        account: row.account,
        tenant: row.tenantId,
      })),
    ),
  );
}
