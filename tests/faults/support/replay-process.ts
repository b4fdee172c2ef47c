import { connect, type Sql } from "#db/client.ts";
import { replayEvent } from "#lib/inbox/replay.ts";

/** Replays the event named in the arguments and tells the verdict: a process that a test can kill. */
const sql = connect({ url: process.env.DATABASE_URL!, max: 2, name: "replay" }) as unknown as Sql;
const answer = await replayEvent(sql, {
  id: process.argv[2]!,
  actor: "test",
  reason: "crash test",
  dryRun: false,
});
console.log(JSON.stringify(answer));
await sql.end();
