import { randomUUID } from "node:crypto";
import type { Sql, Tx } from "#db/client.ts";
import { sqlState } from "#db/errors.ts";
import { FIRST, type Progress, progressSchema } from "./progress.ts";

/** Seconds. A step is over sooner, or another worker may go on with the run. */
const LEASE = 120;
/** Failures in a row after which a run has failed: with the backoff below, more than a day. */
const MOST_FAILURES = 40;

/** A run that this worker has leased. */
export type Lease = {
  id: string;
  sourceId: string;
  token: string;
  actor: string;
  repair: boolean;
  redeliver: boolean;
  onlyGaps: string[] | null;
  /** PostgreSQL's text, and milliseconds since the epoch. */
  windowFrom: string;
  windowTo: string;
  from: number;
  to: number;
  /** The database's clock at the lease, milliseconds. */
  now: number;
  failures: number;
  progress: Progress;
};

/** What a step adds to its run. */
export type Counts = Partial<
  Record<"pages" | "objects" | "entries" | "gapsFound" | "gapsRepaired" | "gapsClosed", number>
> & { warnings?: readonly string[] };

/** The run is somebody else's by now, or was cancelled: the step's transaction is undone. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/**
 * Leases the oldest run that is due and whose source has no other one running, or one whose worker let its lease run
 * out. Null when there is none. The unique index on running runs decides between two workers.
 */
export async function leaseRun(sql: Sql, sourceId?: string): Promise<Lease | null> {
  const token = randomUUID();
  try {
    const [row] = await sql<(Omit<Lease, "token" | "progress"> & { progress: unknown })[]>`
      with due as materialized (
        select id from reconciliation_runs run
        where ((status = 'pending' and next_attempt_at <= now()) or (status = 'running' and lease_until < now()))
          and (${sourceId ?? null}::text is null or source_id = ${sourceId ?? null})
          and not exists (select from reconciliation_runs other
            where other.source_id = run.source_id and other.status = 'running' and other.id <> run.id)
        order by created_at limit 1 for update skip locked
      )
      update reconciliation_runs run set status = 'running', lease_token = ${token},
        lease_until = now() + make_interval(secs => ${LEASE}), next_attempt_at = null,
        started_at = coalesce(started_at, now())
      from due where run.id = due.id
      returning run.id, source_id as "sourceId", actor, repair, redeliver, only_gaps as "onlyGaps", failures, progress,
        window_from as "windowFrom", window_to as "windowTo", (extract(epoch from window_from) * 1000)::float8 as "from",
        (extract(epoch from window_to) * 1000)::float8 as "to", (extract(epoch from now()) * 1000)::float8 as now`;
    return row ? { ...row, token, progress: progressSchema.safeParse(row.progress).data ?? FIRST } : null;
  } catch (error) {
    // Another worker leased another run of this source in the same moment.
    if (sqlState(error) === "23505") return null;
    throw error;
  }
}

/** One step's writes and the move of the cursor, in one transaction. Throws LeaseLost when the run is not ours. */
export async function commitStep(
  sql: Sql,
  lease: Lease,
  next: Progress | "done",
  work: (tx: Tx) => Promise<Counts>,
): Promise<void> {
  await sql.begin(async (tx) => {
    const [held] = await tx`
      select from reconciliation_runs where id = ${lease.id} and status = 'running' and lease_token = ${lease.token}
        and cancel_requested_at is null for update`;
    if (!held) throw new LeaseLost();
    const counts = await work(tx);
    const { pages = 0, objects = 0, entries = 0, gapsFound = 0, gapsRepaired = 0, gapsClosed = 0 } = counts;
    const isDone = next === "done";
    await tx`
      update reconciliation_runs set pages = pages + ${pages}, objects = objects + ${objects},
        entries = entries + ${entries}, gaps_found = gaps_found + ${gapsFound},
        gaps_repaired = gaps_repaired + ${gapsRepaired}, gaps_closed = gaps_closed + ${gapsClosed},
        warnings = array(select distinct warning from unnest(warnings || ${[...(counts.warnings ?? [])]}::text[]) warning
          order by 1 limit 20),
        failures = 0, last_error = null, progress = ${isDone ? null : tx.json(next)},
        status = ${isDone ? "done" : "running"}, finished_at = case when ${isDone} then now() end,
        lease_token = case when not ${isDone} then lease_token end,
        lease_until = case when not ${isDone} then now() + make_interval(secs => ${LEASE}) end
      where id = ${lease.id}`;
    if (isDone) await tx`delete from reconciliation_seen where run_id = ${lease.id}`;
  });
  if (next !== "done") lease.progress = next;
}

/** Gives a run back, to go on after `ms`: it waits for the worker, or this process stops. */
export async function releaseRun(sql: Sql, lease: Lease, ms: number): Promise<void> {
  await sql`
    update reconciliation_runs set status = 'pending', lease_token = null, lease_until = null,
      next_attempt_at = now() + make_interval(secs => ${ms / 1000})
    where id = ${lease.id} and status = 'running' and lease_token = ${lease.token} and cancel_requested_at is null`;
  await endCancelled(sql, lease);
}

/**
 * A step failed. Never counts as compared: the run goes on where it was, after `retryAfterMs` or a backoff from 5 s to
 * an hour, or has failed for good.
 */
export async function failRun(
  sql: Sql,
  lease: Lease,
  failure: { message: string; permanent: boolean; retryAfterMs: number | null },
): Promise<void> {
  const isOver = failure.permanent || lease.failures + 1 >= MOST_FAILURES;
  const wait = failure.retryAfterMs ?? Math.min(5_000 * 2 ** lease.failures, 3_600_000);
  await sql`
    update reconciliation_runs set status = ${isOver ? "failed" : "pending"}, failures = failures + 1,
      last_error = ${failure.message}, lease_token = null, lease_until = null,
      next_attempt_at = case when not ${isOver} then now() + make_interval(secs => ${wait / 1000}) end,
      finished_at = case when ${isOver} then now() end
    where id = ${lease.id} and status = 'running' and lease_token = ${lease.token} and cancel_requested_at is null`;
  await endCancelled(sql, lease);
}

/** The worker that holds a cancelled run ends it. */
export async function endCancelled(sql: Sql, lease: Pick<Lease, "id" | "token">): Promise<void> {
  await sql`
    update reconciliation_runs set status = 'cancelled', lease_token = null, lease_until = null, finished_at = now()
    where id = ${lease.id} and status = 'running' and lease_token = ${lease.token} and cancel_requested_at is not null`;
}
