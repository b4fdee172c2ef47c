import type { Executor } from "#lib/executor.ts";
import { NEVER_KEPT } from "#lib/receive/capture.ts";
import { type BodyText, toBodyText } from "../body-text.ts";
import { cutPage, type Page, type Position } from "../cursor.ts";
import { toIsoTime } from "../iso-time.ts";

export type CaptureItem = {
  id: string;
  at: string;
  method: string;
  query: string;
  headers: Record<string, string>;
  /** What the sender sent, in bytes; `body` has no more than the first 64 KiB of it. */
  bytes: number;
  body: BodyText;
};

const BODY_SHOWN = 65_536;

type Row = Omit<CaptureItem, "body"> & { body: Buffer };

/** A page of a source's captured requests, newest first. */
export async function listCaptures(
  sql: Executor,
  source: string,
  limit: number,
  after: Position | null,
): Promise<Page<CaptureItem>> {
  const rows = await sql<Row[]>`
    select id, at, method, query, headers, octet_length(body) as bytes, substring(body from 1 for ${BODY_SHOWN}) as body
    from source_captures where source_id = ${source}
      ${after ? sql`and (at, id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``}
    order by source_captures.at desc, source_captures.id desc limit ${limit + 1}`;
  const page = cutPage(rows, limit, ({ at, id }) => ({ at, id }));
  return { ...page, items: page.items.map(toItem) };
}

function toItem(row: Row): CaptureItem {
  // They are not stored either; this is for rows of a time when fewer names counted as credentials.
  const headers = Object.entries(row.headers).filter(([name]) => !NEVER_KEPT.includes(name));
  return {
    ...row,
    at: toIsoTime(row.at),
    headers: Object.fromEntries(headers),
    body: toBodyText(row.body, row.body.length < row.bytes),
  };
}
