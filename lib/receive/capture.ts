import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { ReceiveRequest } from "./types.ts";

/** Requests kept per source in 24 hours. */
export const CAPTURES_KEPT = 100;

/** Credentials that have nothing to do with a signature. */
export const NEVER_KEPT: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

/**
 * Keeps an unverified request apart from the inbox, so that a person can learn a sender's contract from real
 * deliveries. It can never be processed. Does nothing once the source has kept its share of 24 hours.
 */
export async function captureRequest(
  sql: Sql,
  sourceId: string,
  request: ReceiveRequest,
  body: Buffer,
): Promise<void> {
  const headers = Object.entries(request.allHeaders()).filter(([name]) => !NEVER_KEPT.includes(name));
  await sql.begin(async (tx) => {
    // One at a time per source, or a burst would count past the bound.
    await tx`select id from sources where id = ${sourceId} for no key update`;
    await tx`
      insert into source_captures (id, source_id, method, query, headers, body)
      select ${uuidv7()}, ${sourceId}, ${request.method}, ${request.query}, ${tx.json(Object.fromEntries(headers))}, ${body}
      where (select count(*) from source_captures
        where source_id = ${sourceId} and at > now() - interval '24 hours') < ${CAPTURES_KEPT}`;
  });
}
