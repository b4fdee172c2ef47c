import type { Sql } from "#db/client.ts";

/** The first of the two numbers of every worker's advisory lock; the other is a hash of its id. */
export const WORKER_LOCK = 0x43_4c_49_4d;

/** Records which rows a lane of work is about to take up; an empty list says that it has none. */
export type NoteRows = (ids: readonly string[]) => Promise<void>;

export type ClaimBook = {
  noteIn(slot: number, alone: boolean): NoteRows;
  /** Forgets everything: for an orderly stop. Never throws. */
  close(): Promise<void>;
};

/**
 * The book in which a worker says, in a commit of its own, which rows it has at work: what is pending of them when it
 * is gone may be what killed it (rescue.ts). One row per lane of work, written over by its next batch, so that it costs
 * one small statement a batch and nothing a row.
 *
 * `sql` is a pool of one, not through a pooler. Its session holds the worker's advisory lock, taken again with every
 * note because a lost connection loses it: the lock of a dead process is free at once, that of a stopped one is not.
 * The commit need not outlive a crash of the server: then it is not the row that killed its worker.
 */
export function openClaimBook(sql: Sql, workerId: string, { locks }: { locks: boolean }): ClaimBook {
  return {
    noteIn: (slot, alone) => async (ids) => {
      await sql.unsafe(NOTE, [workerId, slot, ids as string[], alone, locks], { prepare: true });
    },
    async close() {
      await sql`delete from inbox_claims where worker_id = ${workerId}`.catch(() => {});
    },
  };
}

const NOTE = `
insert into inbox_claims (worker_id, slot, event_ids, alone, locked)
select $1::uuid, $2::smallint, $3::uuid[], $4::boolean,
  case when $5::boolean then pg_try_advisory_lock(${WORKER_LOCK}, hashtext($1::uuid::text)) else false end
from (select set_config('synchronous_commit', 'off', true)) as quick
on conflict (worker_id, slot) do update set event_ids = excluded.event_ids, alone = excluded.alone,
  locked = excluded.locked, claimed_at = now()`;
