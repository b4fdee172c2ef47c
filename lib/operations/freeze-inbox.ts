import type { PendingQuery, Row } from "postgres";
import type { Tx } from "#db/client.ts";
import type { InboxFilter } from "./filter.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Fixes the items of an operation in one statement, oldest first, with the state they are in. Returns how many. */
export async function freezeInbox(
  tx: Tx,
  operation: string,
  filter: InboxFilter,
  limit: number,
): Promise<number> {
  const { count } = await tx`
    insert into operation_items (operation_id, ordinal, inbox_event_id, was, was_attempts)
    select ${operation}::uuid, row_number() over (order by e.received_at, e.id), e.id, e.status, e.attempts
    from inbox_events e where ${whereOf(tx, filter)}
    order by e.received_at, e.id limit ${limit}`;
  return count;
}

function whereOf(tx: Tx, filter: InboxFilter): PendingQuery<Row[]> {
  const { ids, status, source, account, type, subject, q, since, until } = filter;
  return tx`true
    ${ids ? tx`and e.id = any(${ids}::uuid[])` : tx``}
    ${status ? tx`and e.status = ${status}` : tx``}
    ${source ? tx`and e.source_id = ${source}` : tx``}
    ${account ? tx`and e.account = ${account}` : tx``}
    ${type ? ofType(tx, type) : tx``}
    ${subject ? tx`and e.subject = ${subject}` : tx``}
    ${q ? tx`and (e.event_id = ${q} or e.subject = ${q} ${UUID.test(q) ? tx`or e.id = ${q}::uuid` : tx``})` : tx``}
    ${since ? tx`and e.received_at >= ${since}::timestamptz` : tx``}
    ${until ? tx`and e.received_at < ${until}::timestamptz` : tx``}`;
}

const ofType = (tx: Tx, type: string) =>
  type.endsWith("*") ? tx`and starts_with(e.type, ${type.slice(0, -1)})` : tx`and e.type = ${type}`;
