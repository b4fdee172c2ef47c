import type { ConflictResolution } from "#db/states.ts";
import type { Executor } from "#lib/executor.ts";
import { type BodyText, toBodyText } from "../body-text.ts";
import { toIsoTime, toIsoTimeOrNull } from "../iso-time.ts";

/** `bytes` is the whole length; `body` has no more than the first 256 KiB, and is null when it has expired. */
export type Content = { receivedAt: string; bytes: number; body: BodyText | null };

export type ConflictContent = Content & {
  id: string;
  why: string;
  /** How often this content came. */
  seen: number;
  resolvedAt: string | null;
  resolvedBy: string | null;
  resolution: ConflictResolution | null;
  reason: string | null;
};

export type Conflicts = { first: Content; conflicts: ConflictContent[] };

const BODY_SHOWN = 262_144;
const MOST_SHOWN = 20;

type Row<T extends Content> = Omit<T, "body"> & { body: Buffer | null };

/** What was accepted first under an event's key, and the newest other contents that came under it; or null. */
export async function getConflicts(sql: Executor, id: string): Promise<Conflicts | null> {
  const [first] = await sql<Row<Content>[]>`
    select received_at as "receivedAt", body_bytes as bytes, substring(body.body from 1 for ${BODY_SHOWN}) as body
    from inbox_events
    left join inbox_bodies body on body.expires_on = body_expires_on and body.inbox_event_id = id
    where id = ${id}`;
  if (!first) return null;
  const rows = await sql<Row<ConflictContent>[]>`
    select id, why, received_at as "receivedAt", seen, resolved_at as "resolvedAt", resolved_by as "resolvedBy",
      resolution, reason,
      octet_length(body) as bytes, substring(body from 1 for ${BODY_SHOWN}) as body
    from inbox_conflicts where inbox_event_id = ${id}
    order by inbox_conflicts.received_at desc, inbox_conflicts.id desc limit ${MOST_SHOWN}`;
  return {
    first: toContent(first),
    conflicts: rows.map((row) => ({ ...toContent(row), resolvedAt: toIsoTimeOrNull(row.resolvedAt) })),
  };
}

function toContent<T extends Content>(row: Row<T>): T {
  const body = row.body && toBodyText(row.body, row.body.length < row.bytes);
  return { ...row, receivedAt: toIsoTime(row.receivedAt), body } as unknown as T;
}
