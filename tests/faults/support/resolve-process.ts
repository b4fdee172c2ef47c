import { connect, type Sql } from "#db/client.ts";
import { resolveEvent } from "#lib/inbox/resolve.ts";

/** Dismisses the event named in the arguments: a process that a test can kill. */
const sql = connect({ url: process.env.DATABASE_URL!, max: 2, name: "resolve" }) as unknown as Sql;
const actor = { name: "test", scopes: [] } as unknown as Parameters<typeof resolveEvent>[1];
const outcome = await resolveEvent(sql, actor, {
  id: process.argv[2]!,
  decision: "dismiss",
  reason: "crash test",
});
console.log(JSON.stringify(outcome));
await sql.end();
