import type { Sql } from "#db/client.ts";

/** For choosing one. */
export async function listSources(sql: Sql): Promise<{ id: string; name: string }[]> {
  const rows = await sql<{ id: string; name: string }[]>`select id, name from sources order by id limit 500`;
  return [...rows];
}
