import type { Sql } from "#db/client.ts";
import { REJECTION_REASONS, type RejectionReason } from "#db/states.ts";
import {
  countRejections,
  listRejections,
  type RejectionCount,
  type RejectionFilter,
  type Rejections,
} from "#lib/api/reads/list-rejections.ts";

export const REJECTIONS_SHOWN = 50;

export type RejectionsPage = Pick<Rejections, "items"> & {
  /** Of every source and reason, whatever the filter: they are the way to it. */
  lastDay: RejectionCount[];
  older: string | null;
  now: string;
};

export const isReason = (text: string | null): text is RejectionReason =>
  REJECTION_REASONS.some((reason) => reason === text);

/** A page of the sampled rejections below `before`, an id that a page gave. */
export async function loadRejections(
  sql: Sql,
  filter: RejectionFilter,
  before: string | null,
): Promise<RejectionsPage> {
  const [page, lastDay, [clock]] = await Promise.all([
    listRejections(sql, filter, REJECTIONS_SHOWN, before),
    countRejections(sql, {}),
    sql<{ now: string }[]>`select now() as now`,
  ]);
  const older = page.nextCursor === null ? null : (page.items.at(-1)?.id ?? null);
  return { items: page.items, lastDay, older, now: clock!.now };
}

/** The address of the list with these filters. */
export function rejectionsHref(filter: RejectionFilter, before?: string | null): string {
  const search = new URLSearchParams();
  if (filter.source) search.set("source", filter.source.toWellFormed());
  if (filter.reason) search.set("reason", filter.reason);
  if (before) search.set("before", before);
  return search.size > 0 ? `/rejections?${search}` : "/rejections";
}
