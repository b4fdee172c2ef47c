import { compareVersions } from "#db/versions.ts";
import type { Executor } from "#lib/executor.ts";

export type ServiceReadiness = { ready: true } | { ready: false; why: string };

/** Milliseconds; a load balancer that asks does not wait longer either. */
const DEADLINE = 2_000;

/** Whether this process can do its work: the database answers and its schema is one for this version. Never throws. */
export async function checkReadiness(sql: Executor, version: string): Promise<ServiceReadiness> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ServiceReadiness>((resolve) => {
    timer = setTimeout(() => resolve({ ready: false, why: "the database does not answer" }), DEADLINE);
  });
  const asked = askDatabase(sql, version).catch(
    (): ServiceReadiness => ({ ready: false, why: "the database cannot be used" }),
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function askDatabase(sql: Executor, version: string): Promise<ServiceReadiness> {
  const [row] = await sql<{ oldest: string }[]>`select oldest_version as oldest from schema_compatibility`;
  if (!row) return { ready: false, why: "the schema does not say which version it needs" };
  if (compareVersions(version, row.oldest) >= 0) return { ready: true };
  return { ready: false, why: `the schema needs version ${row.oldest}, this is ${version}` };
}
