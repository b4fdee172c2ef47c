import type { Sql } from "#db/client.ts";
import { listSources, type SourceView } from "#lib/admin/describe-source.ts";
import { judgeSecrets } from "#lib/admin/secret-health.ts";
import type { Badge } from "./badge.ts";
import { loadActivity } from "./source-activity.ts";
import { type SourceActivity, sourceBadges } from "./source-state.ts";

export type SourceListItem = Pick<SourceView, "id" | "kind" | "name"> &
  SourceActivity & { badges: Badge[]; accounts: string[] };

export type SourceList = { items: SourceListItem[]; now: string };

/** Every source with its state; there are as many as somebody has set up by hand. */
export async function loadSourceList(sql: Sql, keys: readonly Buffer[]): Promise<SourceList> {
  const sources = await listSources(sql);
  const ids = sources.map(({ id }) => id);
  const [health, { now, of }] = await Promise.all([judgeSecrets(sql, keys, sources), loadActivity(sql, ids)]);
  const items = sources.map((source) => ({
    id: source.id,
    kind: source.kind,
    name: source.name,
    badges: sourceBadges(source, health.get(source.id)!),
    accounts: source.accounts.map(({ account }) => account),
    ...of.get(source.id)!,
  }));
  return { items, now };
}
