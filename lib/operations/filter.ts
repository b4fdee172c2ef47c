import { z } from "zod";
import { INBOX_STATUSES } from "#db/states.ts";

const text = z.string().trim().min(1).max(255);
const instant = z.iso.datetime({ offset: true, error: "a time like 2026-03-03T10:00:00Z" });

/** At most so many ids can be picked by hand; beyond that a filter says it. */
export const MOST_IDS = 1_000;

/** Which inbox events a bulk action covers: those that match all of it. */
export const inboxFilter = z
  .strictObject({
    ids: z.array(z.guid()).min(1).max(MOST_IDS).optional(),
    status: z.enum(INBOX_STATUSES).optional(),
    source: text.optional(),
    account: text.optional(),
    type: text.optional().meta({ description: "A type, or the beginning of one followed by *." }),
    subject: text.optional(),
    q: text.optional().meta({ description: "An event's, a subject's or our own id, whole." }),
    since: instant.optional().meta({ description: "Received at or after." }),
    until: instant.optional().meta({ description: "Received before." }),
  })
  .meta({ id: "InboxFilter" });

export type InboxFilter = z.output<typeof inboxFilter>;

/** A filter that names nothing would cover everything that there is. */
export const isEmptyFilter = (filter: object): boolean =>
  Object.values(filter).every((value) => value === undefined);

/** The filter in words: "failed, of source billing, received since …". */
export function describeFilter(filter: Record<string, unknown>): string {
  const words = Object.entries(filter).flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    if (name === "ids") return [`${(value as unknown[]).length} picked by hand`];
    return [`${WORDS[name] ?? name} ${String(value)}`];
  });
  return words.join(", ");
}

const WORDS: Record<string, string> = {
  status: "state",
  q: "any id",
  since: "received since",
  until: "received before",
};
