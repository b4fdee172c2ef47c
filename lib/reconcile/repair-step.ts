import type { Sql } from "#db/client.ts";
import type { Mode } from "#db/states.ts";
import { failpoint } from "#lib/failpoint.ts";
import { storeReceipts } from "#lib/receive/store-receipts.ts";
import { INBOX_CHANNEL } from "#lib/receive/worker-hint.ts";
import { SenderFailure } from "#lib/recovery/failure.ts";
import type { SenderObject } from "#lib/recovery/types.ts";
import { readObject, toReceipt } from "./candidates.ts";
import type { Subjects } from "./compare.ts";
import { commitStep, type Lease } from "./lease.ts";
import type { RunContext } from "./list-step.ts";
import type { Progress } from "./progress.ts";

const PAGE = 50;
/** Milliseconds for the worker, or for a redelivery to arrive. */
const PATIENCE = 30_000;

export type OpenGap = {
  id: string;
  account: string;
  subject: string;
  class: string;
  at: number;
  body: Buffer | null;
  headers: Record<string, string> | null;
  deliveryId: string | null;
  inboxEventId: string | null;
};

/**
 * Puts in a receipt for each gap that one can repair, in sets, or asks the sender to deliver again. A receipt has the
 * same key each time: what dies between the receipt and the cursor repeats as a duplicate.
 */
export async function stepRepair(
  sql: Sql,
  lease: Lease,
  context: RunContext,
  progress: Extract<Progress, { phase: "repair" }>,
  signal: AbortSignal,
): Promise<void> {
  const gaps = lease.repair ? await loadRepairable(sql, lease, progress.cursor) : [];
  const isLast = gaps.length < PAGE;
  const events = new Map<string, string | null>();
  const asked = gaps.filter((gap) => isAsked(lease, context, gap));
  for (const gap of asked) {
    if (!(await redeliver(context, gap, signal))) continue;
    events.set(gap.id, null);
  }
  for (const [id, event] of await putReceipts(
    sql,
    context,
    gaps.filter((gap) => !asked.includes(gap)),
  ))
    events.set(id, event);
  failpoint("reconcile.after-repair");
  const until = lease.now + PATIENCE;
  const next: Progress = isLast
    ? { phase: "verify", cursor: null, until }
    : { phase: "repair", cursor: gaps.at(-1)!.id };
  await commitStep(sql, lease, next, async (tx) => {
    for (const [id, event] of events) {
      await tx`
        update reconciliation_gaps set repaired_at = now(), repaired_by = ${lease.id}, inbox_event_id = ${event}
        where id = ${id}`;
    }
    if (events.size > 0) await tx`select pg_notify(${INBOX_CHANNEL}, '')`;
    return { gapsRepaired: events.size };
  });
}

function isAsked({ redeliver }: Lease, { client, recovery }: RunContext, gap: OpenGap): boolean {
  if (!client.redeliver || gap.deliveryId === null) return false;
  return recovery.lists === "deliveries" || redeliver;
}

/** False where the sender no longer has it: the gap stays open, for a person. */
async function redeliver({ client }: RunContext, gap: OpenGap, signal: AbortSignal): Promise<boolean> {
  try {
    await client.redeliver!(gap.deliveryId!, signal);
    return true;
  } catch (error) {
    if (error instanceof SenderFailure && error.permanent && !error.message.includes("credentials"))
      return false;
    throw error;
  }
}

async function putReceipts(
  sql: Sql,
  context: Subjects,
  gaps: readonly OpenGap[],
): Promise<Map<string, string>> {
  const readable = gaps.flatMap((gap) => {
    const object = toObject(gap, context);
    const read = object && readObject(context.source, context.adapter, context.recovery, object);
    const receipt = read?.ok ? toReceipt(context.source, read.candidate) : null;
    return receipt ? [{ gap, receipt }] : [];
  });
  if (readable.length === 0) return new Map();
  const stored = await storeReceipts(
    sql,
    readable.map(({ receipt }) => receipt),
  );
  return new Map(readable.map(({ gap }, index) => [gap.id, stored[index]!.event]));
}

/** What a gap keeps of the sender's object. Null where it keeps no receipt. */
export function toObject(gap: OpenGap, { recovery, source }: Subjects): SenderObject | null {
  if (recovery.lists === "objects" && !gap.body) return null;
  const base = gap.account.replace(/~test$/, "");
  const mode: Mode = base === gap.account ? "live" : "test";
  return {
    account: base === source.ownBase ? null : base,
    mode,
    subject: gap.subject,
    at: gap.at,
    paid: true,
    receipt: gap.body && { body: gap.body, headers: gap.headers ?? {} },
    ...(gap.deliveryId && { deliveryId: gap.deliveryId }),
  };
}

export const GAP_COLUMNS = `id, account, subject, class, (extract(epoch from happened_at) * 1000)::float8 as at,
  receipt_body as body, receipt_headers as headers, delivery_id as "deliveryId", inbox_event_id as "inboxEventId"`;

/** A repair that the worker has not been at is neither success nor failure. */
export const NOT_UNDER_WAY = `not exists (select from inbox_events event
  where event.id = reconciliation_gaps.inbox_event_id and event.status = 'pending')`;

async function loadRepairable(sql: Sql, lease: Lease, cursor: string | null): Promise<OpenGap[]> {
  return await sql.unsafe<OpenGap[]>(
    `select ${GAP_COLUMNS} from reconciliation_gaps
    where last_run_id = $1 and status = 'open' and repairable and ($2::uuid is null or id > $2)
      and ($3::uuid[] is null or id = any($3))
    order by id limit ${PAGE}`,
    [lease.id, cursor, lease.onlyGaps],
  );
}
