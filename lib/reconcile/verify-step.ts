import type { Sql } from "#db/client.ts";
import { compareObjects } from "./compare.ts";
import { commitStep, type Lease } from "./lease.ts";
import type { RunContext } from "./list-step.ts";
import type { Progress } from "./progress.ts";
import { GAP_COLUMNS, NOT_UNDER_WAY, type OpenGap, toObject } from "./repair-step.ts";
import { closeGaps, writeGaps } from "./write-gaps.ts";

const PAGE = 50;
/** Milliseconds between two looks. */
const LOOK = 1_000;

type VerifyProgress = Extract<Progress, { phase: "verify" }>;

/**
 * Looks at what was repaired once the worker has been at it. Returns the milliseconds to come back after, while it has
 * not; null once a page of gaps was looked at, and closed or described anew.
 */
export async function stepVerify(
  sql: Sql,
  lease: Lease,
  context: RunContext,
  progress: VerifyProgress,
): Promise<number | null> {
  if (Date.now() < progress.until && (await countUnderWay(sql, lease)) > 0) return LOOK;
  const gaps = await loadRepaired(sql, lease, progress.cursor);
  const next: Progress = gaps.length < PAGE ? { phase: "close" } : { ...progress, cursor: gaps.at(-1)!.id };
  await commitStep(sql, lease, next, async (tx) => {
    const objects = gaps.flatMap((gap) => toObject(gap, context) ?? []);
    const { gaps: left } = await compareObjects(tx, context, objects);
    const isLeft = (gap: OpenGap) =>
      left.some(
        (one) => one.account === gap.account && one.subject === gap.subject && one.class === gap.class,
      );
    const gone = gaps.filter((gap) => !isLeft(gap));
    const gapsClosed = await closeGaps(
      tx,
      gone.map(({ id }) => id),
      lease.actor,
      "repaired: a look after it found it gone",
    );
    const gapsFound = await writeGaps(tx, { id: lease.id, sourceId: lease.sourceId }, left);
    return { gapsClosed, gapsFound };
  });
  return null;
}

/** Receipts that the worker has not been at, and deliveries that were asked for and have not come. */
async function countUnderWay(sql: Sql, lease: Lease): Promise<number> {
  const [row] = await sql<{ gaps: number }[]>`
    select count(*)::int as gaps from reconciliation_gaps gap
    left join inbox_events event on event.id = gap.inbox_event_id
    where gap.repaired_by = ${lease.id} and gap.status = 'open' and (
      event.status = 'pending' and event.next_attempt_at <= now() + interval '5 seconds'
      or gap.inbox_event_id is null and not exists (
        select from inbox_events came where came.source_id = gap.source_id
          and (came.event_id = gap.subject or came.subject = gap.subject and came.received_at >= gap.last_seen_at
            and came.status <> 'pending')))`;
  return row!.gaps;
}

async function loadRepaired(sql: Sql, lease: Lease, cursor: string | null): Promise<OpenGap[]> {
  return await sql.unsafe<OpenGap[]>(
    `select ${GAP_COLUMNS} from reconciliation_gaps
    where repaired_by = $1 and status = 'open' and ($2::uuid is null or id > $2)
      and ${NOT_UNDER_WAY} order by id limit ${PAGE}`,
    [lease.id, cursor],
  );
}
