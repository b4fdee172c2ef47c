import { createHash, randomBytes } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Sql } from "#db/client.ts";
import type { Actor } from "#lib/access/actor.ts";
import { Undo } from "#lib/admin/undo.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import { findAction } from "./actions.ts";
import { isEmptyFilter } from "./filter.ts";

export type FreezeRequest = { action: string; filter: Record<string, unknown>; reason: string };

export type Frozen = {
  operation: string;
  /** Exactly so many items, whatever comes later. */
  count: number;
  /** Starts it; given once, to whoever asked. */
  token: string;
  expiresAt: string;
};

/** More in one operation is refused: nobody has looked at what it would do. */
export const MOST_ITEMS = 250_000;
export const TOKEN_MINUTES = 15;
/** Milliseconds; a hundred thousand items take about one second. */
const TIMEOUT = "60s";

export const digestToken = (token: string): Buffer => createHash("sha256").update(token).digest();

/** A dry run: fixes which items a bulk action covers. Nothing is done to them until it is started with the token. */
export async function freezeOperation(
  sql: Sql,
  actor: Actor,
  { action: name, filter, reason }: FreezeRequest,
): Promise<Outcome<Frozen>> {
  const action = findAction(name);
  const parsed = action?.filter.safeParse(filter);
  if (!action || !parsed?.success) return refuse("unacceptable", "The filter is not one of this action.");
  if (isEmptyFilter(filter))
    return refuse("unacceptable", "An empty filter would cover everything: say what it is about.");
  const token = randomBytes(32).toString("base64url");
  const operation = uuidv7();
  return await Undo.catch(() =>
    sql.begin(async (tx) => {
      await tx`select set_config('statement_timeout', ${TIMEOUT}, true)`;
      const [row] = await tx<{ expiresAt: string }[]>`
        insert into operations (id, action, actor, reason, status, filter, token_digest, token_expires_at)
        values (${operation}, ${name}, ${actor.name}, ${reason}, 'frozen', ${tx.json(filter as never)},
          ${digestToken(token)}, now() + make_interval(mins => ${TOKEN_MINUTES}))
        returning token_expires_at as "expiresAt"`;
      const count = await action.freeze(tx, operation, parsed.data, MOST_ITEMS + 1);
      if (count === 0) Undo.unless(refuse("unacceptable", "Nothing matches."));
      if (count > MOST_ITEMS)
        Undo.unless(refuse("unacceptable", `More than ${MOST_ITEMS} match: narrow the filter.`));
      await tx`update operations set item_count = ${count} where id = ${operation}`;
      return succeed({ operation, count, token, expiresAt: row!.expiresAt });
    }),
  );
}

/** Forgets dry runs whose token has expired; nothing was done with them. Returns how many. */
export async function forgetFrozen(sql: Sql): Promise<number> {
  return await sql.begin(async (tx) => {
    const gone = await tx<{ id: string }[]>`
      select id from operations where status = 'frozen' and token_expires_at < now() - interval '1 minute'
      limit 20 for update skip locked`;
    const ids = gone.map(({ id }) => id);
    if (ids.length === 0) return 0;
    await tx`delete from operation_items where operation_id = any(${ids}::uuid[])`;
    return (await tx`delete from operations where id = any(${ids}::uuid[])`).count;
  });
}
