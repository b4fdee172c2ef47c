import { v7 as uuidv7 } from "uuid";
import type { Tx } from "#db/client.ts";
import type { ConflictResolution } from "#db/states.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { type Content, type JudgedContent, judgeAnew } from "./judge-anew.ts";
import { type Resolvable, refuseState } from "./resolvable.ts";
import { moveTo } from "./resolve-event.ts";

export type ConflictKey = { event: string; conflict: string };
type By = { name: string; reason: string };

/** Closes a conflict and nothing else: the event goes on with the content that it has. */
export async function dismissConflict(tx: Tx, key: ConflictKey, by: By): Promise<Outcome<null>> {
  return (await close(tx, key, "dismissed", by)) ? succeed(null) : await refuseClosed(tx, key);
}

/**
 * Makes a conflict's content the event's own: it is what is processed, and what later deliveries are compared with.
 * The content before it is kept beside it. What is done or dismissed stays so: then the conflict is closed, no more.
 */
export async function acceptConflict(
  tx: Tx,
  event: Resolvable,
  key: ConflictKey,
  by: By,
): Promise<Outcome<null>> {
  const [content] = await tx<(Content & { open: boolean })[]>`
    select body, headers, resolved_at is null as open from inbox_conflicts
    where id = ${key.conflict} and inbox_event_id = ${event.id} for update`;
  if (!content?.open) return await refuseClosed(tx, key);
  if (event.status !== "done" && event.status !== "dismissed") {
    if (event.waitsKind === "contract")
      return refuseState(event, "the source's contract is not confirmed. Confirm that first.");
    const read = await judgeAnew(tx, event.sourceId, content);
    if (!read.ok) return refuse("unacceptable", `The content cannot be used: ${read.why}.`);
    const { account, eventId } = read.value.judged;
    if (account !== event.account || eventId !== event.eventId)
      return refuse("unacceptable", "Read anew, the content belongs to another event.");
    await keepReplaced(tx, event, by);
    await replaceContent(tx, event, content, read.value);
    await moveTo(tx, event, read.value.judged, `content accepted by ${by.name}: ${by.reason}`);
  }
  await close(tx, key, "accepted", by);
  return succeed(null);
}

/** Compare-and-set on the open conflict. */
async function close(
  tx: Tx,
  { event, conflict }: ConflictKey,
  resolution: ConflictResolution,
  { name, reason }: By,
): Promise<boolean> {
  const { count } = await tx`
    update inbox_conflicts set resolved_at = now(), resolved_by = ${name}, resolution = ${resolution},
      reason = ${reason}
    where id = ${conflict} and inbox_event_id = ${event} and resolved_at is null`;
  return count === 1;
}

async function refuseClosed(tx: Tx, { event, conflict }: ConflictKey) {
  const [row] = await tx<{ by: string | null; resolution: string | null }[]>`
    select resolved_by as by, resolution from inbox_conflicts
    where id = ${conflict} and inbox_event_id = ${event}`;
  if (!row) return refuse("not_found", "The event has no such conflict.");
  const how = row.resolution ?? "resolved";
  return refuse("conflict", `The conflict was ${how} by ${row.by ?? "somebody"} already.`, how);
}

/** The content until now, as a closed conflict: kept, and not asked about again when it is delivered once more. */
async function keepReplaced(tx: Tx, event: Resolvable, { name, reason }: By): Promise<void> {
  await tx`
    insert into inbox_conflicts (id, inbox_event_id, content_digest, body, headers, why, received_at, seen,
      resolved_at, resolved_by, resolution, reason)
    select ${uuidv7()}, e.id, e.content_digest, coalesce(b.body, ''), coalesce(b.headers, '{}'),
      case when b.body is null then 'what was processed before; its body had expired'
        else 'what was processed before' end, e.received_at, 1, now(), ${name}, 'replaced', ${reason}
    from inbox_events e
    left join inbox_bodies b on b.expires_on = e.body_expires_on and b.inbox_event_id = e.id
    where e.id = ${event.id}
    on conflict (inbox_event_id, content_digest) do update
      set resolved_at = now(), resolved_by = ${name}, resolution = 'replaced', reason = ${reason}`;
}

/** A new body is kept for as long as one that is received now. */
async function replaceContent(
  tx: Tx,
  { id, bodyExpiresOn }: Resolvable,
  { body, headers }: Content,
  { bodyDigest, retentionDays }: JudgedContent,
): Promise<void> {
  await tx`delete from inbox_bodies where expires_on = ${bodyExpiresOn}::date and inbox_event_id = ${id}`;
  const [row] = await tx<{ expiresOn: string }[]>`
    update inbox_events set body_digest = ${bodyDigest}, body_bytes = ${body.length},
      body_expires_on = (now() at time zone 'UTC')::date + ${retentionDays}::int
    where id = ${id} returning body_expires_on::text as "expiresOn"`;
  await tx`
    insert into inbox_bodies (expires_on, inbox_event_id, body, headers)
    values (${row!.expiresOn}::date, ${id}, ${body}, ${tx.json(headers)})`;
}
