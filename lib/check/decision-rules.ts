import type { Rule } from "./check.ts";

/** What people decided, and what came of it. */
export const DECISION_RULES: readonly Rule[] = [
  {
    name: "ended_operation_has_verdicts",
    rule: "A bulk operation has as many items as were confirmed; when it is done, each has its verdict.",
    query: `
      select o.id::text as operation, o.status, o.item_count as confirmed, count(i.operation_id)::int as items,
        count(i.verdict)::int as verdicts
      from operations o left join operation_items i on i.operation_id = o.id
      where o.item_count is not null
      group by o.id
      having count(i.operation_id) <> o.item_count or (o.status = 'done' and count(i.verdict) <> o.item_count)`,
  },
  {
    name: "accepted_content_is_processed",
    rule: "A content that was accepted while its event was open is the event's own, unless another one was later.",
    query: `
      select c.id::text as conflict, e.id::text as event, e.status
      from inbox_conflicts c join inbox_events e on e.id = c.inbox_event_id
      where c.resolution = 'accepted' and c.content_digest <> e.content_digest
        and exists (select from inbox_conflicts r where r.inbox_event_id = e.id and r.resolution = 'replaced'
          and r.resolved_at = c.resolved_at)
        and not exists (select from inbox_conflicts l where l.inbox_event_id = e.id and l.resolved_at > c.resolved_at
          and l.resolution in ('accepted', 'replaced'))`,
  },
];
