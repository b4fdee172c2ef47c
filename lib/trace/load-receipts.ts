import type { Mode } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import type {
  AttemptItem,
  ConflictItem,
  DeliveryItem,
  EffectItem,
  InvoiceKey,
  ReceiptItem,
  ReplayItem,
} from "./types.ts";

/** What a query gives of an item; the loader adds what kind it is and what it is called. */
export type Row<Item> = Omit<Item, "kind" | "title">;

/** Rows of one kind in a trace. Times are PostgreSQL's text here; the composition makes them ISO. */
export const MOST_ROWS = 500;

export async function loadReceipts(
  sql: Executor,
  { source, account, invoice }: InvoiceKey,
): Promise<(ReceiptItem & { mode: Mode })[]> {
  const rows = await sql<(Row<ReceiptItem> & { mode: Mode })[]>`
    select id, id as event, received_at as at, event_id as "eventId", type, mode, status, outcome,
      failure_class as "failureClass", why, attempts, next_attempt_at as "nextAttemptAt",
      extract(epoch from finished_at - received_at)::float8 * 1000 as "durationMs",
      coalesce((select count from inbox_delivery_counts where inbox_event_id = id), 1)::int as deliveries
    from inbox_events
    where subject = ${invoice} and source_id = ${source} and account = ${account}
    order by received_at, id limit ${MOST_ROWS}`;
  return rows.map((row) => ({ ...row, kind: "receipt" as const, title: `Received ${row.type}` }));
}

export async function loadDeliveries(sql: Executor, events: readonly string[]): Promise<DeliveryItem[]> {
  const rows = await sql<Row<DeliveryItem>[]>`
    select 'delivery:' || inbox_event_id || ':' || ordinal as id, inbox_event_id as event, received_at as at,
      ordinal::int, origin, null::text as why, null::float8 as "durationMs"
    from inbox_deliveries where inbox_event_id = any(${events as string[]}::uuid[])
    order by received_at, ordinal limit ${MOST_ROWS}`;
  return rows.map((row) => ({
    ...row,
    kind: "delivery" as const,
    title: `Received again, delivery ${row.ordinal}`,
  }));
}

export async function loadConflicts(sql: Executor, events: readonly string[]): Promise<ConflictItem[]> {
  const rows = await sql<Row<ConflictItem>[]>`
    select id, inbox_event_id as event, received_at as at, why, seen, resolved_at as "resolvedAt",
      null::float8 as "durationMs"
    from inbox_conflicts where inbox_event_id = any(${events as string[]}::uuid[])
    order by received_at, id limit ${MOST_ROWS}`;
  return rows.map((row) => ({
    ...row,
    kind: "conflict" as const,
    title: "Received other content under the same id",
  }));
}

export async function loadAttempts(
  sql: Executor,
  events: readonly string[],
): Promise<(AttemptItem | ReplayItem)[]> {
  const rows = await sql<(Row<ReplayItem> & { kind: "process" | "replay" })[]>`
    select 'attempt:' || id as id, inbox_event_id as event, started_at as at, kind, result, why, actor, reason,
      operation_id as operation, extract(epoch from finished_at - started_at)::float8 * 1000 as "durationMs"
    from inbox_attempts where inbox_event_id = any(${events as string[]}::uuid[])
    order by inbox_attempts.id limit ${MOST_ROWS}`;
  return rows.map(({ kind, actor, reason, operation, ...row }) =>
    kind === "replay"
      ? {
          ...row,
          kind: "replay",
          actor,
          reason,
          operation,
          title: `Replayed by ${actor}: ${inWords(row.result)}`,
        }
      : { ...row, kind: "attempt" as const, title: `Processed: ${inWords(row.result)}` },
  );
}

export async function loadEffects(sql: Executor, events: readonly string[]): Promise<EffectItem[]> {
  const rows = await sql<Row<EffectItem>[]>`
    select 'effect:' || inbox_event_id || ':' || effect as id, inbox_event_id as event, at, effect, outcome, why,
      by_event_id as by, null::float8 as "durationMs"
    from inbox_effects where inbox_event_id = any(${events as string[]}::uuid[])
    order by at, effect limit ${MOST_ROWS}`;
  return rows.map((row) => ({
    ...row,
    kind: "effect" as const,
    title: `${row.effect}: ${inWords(row.outcome)}`,
  }));
}

const inWords = (name: string) => name.replaceAll("_", " ");
