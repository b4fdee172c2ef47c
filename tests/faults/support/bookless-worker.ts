import { v7 as uuidv7 } from "uuid";
import { connect, type Sql } from "#db/client.ts";
import { startInboxLoop } from "#worker/inbox.ts";

/** A worker as the version before the book of claims had it: it notes nothing. Ends with SIGTERM. */
const sql = connect({ url: process.env.DATABASE_URL!, max: 4, name: "older worker" }) as unknown as Sql;
const workerId = uuidv7();
await sql`insert into workers (id, role, host, pid, version) values (${workerId}, 'worker', 'older', ${process.pid}, '0.0.9')`;
const loop = startInboxLoop({ sql, workerId, concurrency: 2, batchSize: 20, pollInterval: 50 });
console.log("older worker at work");
process.on("SIGTERM", () => void loop.stop().then(() => process.exit(0)));
