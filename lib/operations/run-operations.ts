import type { Sql } from "#db/client.ts";
import { type Running, runStep } from "./run-step.ts";

/** Steps of one operation before the next one has its turn. */
const TURN = 20;

/**
 * Gives every operation that is due a turn. Returns how many items got their verdict: 0 when there was nothing to do.
 * Safe on any number of workers, and in several lanes of one: items are locked, and each gets one verdict.
 */
export async function runOperations(sql: Sql, isStopping: () => boolean = () => false): Promise<number> {
  // The first worker that finds it due takes it up; an undo comes before or after that, never between.
  await sql`
    update operations set started_at = now()
    where status = 'running' and started_at is null and starts_at <= now()`;
  const open = await sql<Running[]>`
    select id, action, actor, reason from operations
    where status = 'running' and started_at is not null order by starts_at, id limit 50`;
  let settled = 0;
  for (const running of open) settled += await takeTurn(sql, running, isStopping);
  return settled;
}

async function takeTurn(sql: Sql, running: Running, isStopping: () => boolean): Promise<number> {
  let settled = 0;
  let after = 0;
  for (let turn = 0; turn < TURN && !isStopping(); turn++) {
    const step = await runStep(sql, running, after);
    settled += step.settled;
    if (step.last === null) {
      await finish(sql, running.id);
      break;
    }
    after = step.last;
  }
  return settled;
}

/** Compare-and-set: only while it runs, and only when each item has its verdict. */
async function finish(sql: Sql, id: string): Promise<void> {
  await sql`
    update operations set status = 'done', finished_at = now(), totals = (
      select coalesce(json_object_agg(verdict, items), '{}') from (
        select verdict, count(*) as items from operation_items where operation_id = ${id} group by verdict
      ) by_verdict)
    where id = ${id} and status = 'running' and started_at is not null
      and not exists (select from operation_items where operation_id = ${id} and verdict is null)`;
}
