import type { Sql } from "#db/client.ts";
import type { FailureClass, InboxStatus, WaitsKind } from "#db/states.ts";
import { coalesce } from "./coalesce.ts";
import { toMillis } from "./time.ts";

/** Rows of one kind that somebody or something must move. */
export type Heap = {
  sourceId: string;
  status: InboxStatus;
  /** Failure class, what it waits for, or null. */
  cause: FailureClass | WaitsKind | null;
  retrying: boolean;
  held: boolean;
  count: number;
  /** Milliseconds. */
  oldestAt: number;
  /** Milliseconds; when the longest due of them was due. Null when none is due. */
  dueAt: number | null;
  /** One of them, to read as an example. */
  sampleId: string;
  sampleWhy: string | null;
};

/** Events of one source with a content that a person has not decided about. */
export type ConflictHeap = { sourceId: string; count: number; oldestAt: number; sampleId: string };

export type Health = { now: number; heaps: Heap[]; conflicts: number; conflictHeaps: ConflictHeap[] };

/** Beyond this many unfinished rows the figures are of the rows that were looked at, and say "+". */
export const LOOKED_AT = 100_000;

/**
 * Everything unfinished, in heaps. Materialised over the partial indexes: with ORDER BY … LIMIT 1 the planner may
 * walk ten million done rows to find the oldest pending one.
 */
export async function readHealth(sql: Sql): Promise<Health> {
  type HeapRow = Omit<Heap, "oldestAt" | "dueAt"> & { oldestAt: string; dueAt: string | null };
  const [heaps, conflictHeaps, [rest]] = await Promise.all([
    sql<HeapRow[]>`
      with unfinished as materialized (
        (select * from inbox_events where status = 'pending' limit ${LOOKED_AT})
        union all (select * from inbox_events where status = 'waiting' limit ${LOOKED_AT})
        union all (select * from inbox_events where status in ('failed', 'quarantined') limit ${LOOKED_AT})
      )
      select e.source_id as "sourceId", e.status, coalesce(e.failure_class, e.waits_kind) as cause,
        e.status = 'pending' and e.attempts > 0 as retrying, s.status = 'paused' as held, count(*)::int as count,
        min(e.received_at) as "oldestAt", min(e.next_attempt_at) filter (where e.next_attempt_at <= now()) as "dueAt",
        (array_agg(e.id order by e.received_at desc))[1] as "sampleId",
        (array_agg(coalesce(e.last_error, e.why) order by e.received_at desc))[1] as "sampleWhy"
      from unfinished e join sources s on s.id = e.source_id
      group by 1, 2, 3, 4, 5 order by count desc`,
    sql<(Omit<ConflictHeap, "oldestAt"> & { oldestAt: string })[]>`
      select e.source_id as "sourceId", count(distinct e.id)::int as count, min(c.received_at) as "oldestAt",
        (array_agg(e.id order by c.received_at desc))[1] as "sampleId"
      from (select * from inbox_conflicts where resolved_at is null limit ${LOOKED_AT}) c
      join inbox_events e on e.id = c.inbox_event_id
      group by 1 order by 2 desc`,
    sql<{ now: string; conflicts: number }[]>`
      select now() as now, (select count(distinct inbox_event_id)::int from inbox_conflicts where resolved_at is null) as conflicts`,
  ]);
  return {
    now: toMillis(rest!.now),
    conflicts: rest!.conflicts,
    conflictHeaps: conflictHeaps.map((heap) => ({ ...heap, oldestAt: toMillis(heap.oldestAt) })),
    heaps: heaps.map((heap) => ({
      ...heap,
      oldestAt: toMillis(heap.oldestAt),
      dueAt: heap.dueAt === null ? null : toMillis(heap.dueAt),
    })),
  };
}

export const sharedHealth = coalesce(readHealth, 2_000);
