import type { PendingQuery, Row } from "postgres";
import type { Sql } from "#db/client.ts";
import { effectiveRange, type InboxFilter, isUuid, RANGE_HOURS, type Tab } from "./inbox-filter.ts";

type Fragment = PendingQuery<Row[]>;

/** The filter as a condition over inbox_events e. `status` may be replaced, to count the other tabs. */
export function whereOf(sql: Sql, filter: InboxFilter, status: Tab = filter.status): Fragment {
  const range = effectiveRange(filter);
  const hours = range === "all" ? null : RANGE_HOURS[range];
  return sql`${ofStatus(sql, status)}
    ${hours === null ? sql`` : sql`and e.received_at > now() - make_interval(hours => ${hours})`}
    ${filter.source === null ? sql`` : sql`and e.source_id = ${filter.source}`}
    ${filter.account === null ? sql`` : sql`and e.account = ${filter.account}`}
    ${filter.subject === null ? sql`` : sql`and e.subject = ${filter.subject}`}
    ${filter.type === null ? sql`` : ofType(sql, filter.type)}
    ${filter.q === null ? sql`` : ofAnyId(sql, filter.q)}`;
}

/** The statuses are literals, so that the planner can match the partial indexes. */
function ofStatus(sql: Sql, status: Tab): Fragment {
  switch (status) {
    case "all":
      return sql`true`;
    case "pending":
      return sql`e.status = 'pending'`;
    case "waiting":
      return sql`e.status = 'waiting'`;
    case "failed":
      return sql`e.status = 'failed'`;
    case "done":
      return sql`e.status = 'done'`;
    case "ignored":
      return sql`e.status = 'ignored'`;
    case "dismissed":
      return sql`e.status = 'dismissed'`;
    case "quarantined":
      // As a set of ids: an OR over the whole table would walk ten million rows to find three.
      return sql`e.id in (
        select id from inbox_events where status = 'quarantined'
        union select inbox_event_id from inbox_conflicts where resolved_at is null)`;
    default:
      return status satisfies never;
  }
}

function ofType(sql: Sql, type: string): Fragment {
  if (!type.endsWith("*")) return sql`and e.type = ${type}`;
  return sql`and starts_with(e.type, ${type.slice(0, -1)})`;
}

/** Each part has its index, so that the id is found whatever it is. */
function ofAnyId(sql: Sql, id: string): Fragment {
  return isUuid(id)
    ? sql`and (e.id = ${id}::uuid or e.event_id = ${id} or e.subject = ${id})`
    : sql`and (e.event_id = ${id} or e.subject = ${id})`;
}
