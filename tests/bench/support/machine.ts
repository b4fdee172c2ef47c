import { cpus, loadavg } from "node:os";
import postgres from "postgres";

/** One line that says what a figure was measured on; load from others is part of it. */
export async function describeMachine(adminUrl: string): Promise<string> {
  const sql = postgres(adminUrl, { max: 1 });
  const [row] = await sql<{ version: string; sync: string; fsync: string }[]>`
    select current_setting('server_version') as version, current_setting('synchronous_commit') as sync,
      current_setting('fsync') as fsync`;
  await sql.end();
  const processors = cpus();
  return (
    `${processors.length} × ${processors[0]?.model ?? "unknown processor"}, Node ${process.versions.node}, ` +
    `PostgreSQL ${row!.version} (fsync ${row!.fsync}, synchronous_commit ${row!.sync}), ` +
    `load before the run ${loadavg()[0]!.toFixed(1)}`
  );
}
