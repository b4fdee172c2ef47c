/** One filter gives the rows, the counts and the cursor. Pure, and read by the browser too. */

export const TABS = [
  "all",
  "pending",
  "waiting",
  "failed",
  "quarantined",
  "done",
  "ignored",
  "dismissed",
] as const;
export type Tab = (typeof TABS)[number];

export const TAB_WORDS: Record<Tab, string> = {
  all: "All",
  pending: "Pending",
  waiting: "Waiting",
  failed: "Failed",
  quarantined: "Quarantined",
  done: "Done",
  ignored: "Ignored",
  dismissed: "Dismissed",
};

export const RANGES = ["1h", "24h", "7d", "30d", "all"] as const;
export type Range = (typeof RANGES)[number];

export const RANGE_WORDS: Record<Range, string> = {
  "1h": "last hour",
  "24h": "last 24 h",
  "7d": "last 7 days",
  "30d": "last 30 days",
  all: "all time",
};

export const RANGE_HOURS: Record<Exclude<Range, "all">, number> = {
  "1h": 1,
  "24h": 24,
  "7d": 168,
  "30d": 720,
};

export type InboxFilter = {
  status: Tab;
  source: string | null;
  /** A type, or the beginning of one followed by `*`. */
  type: string | null;
  account: string | null;
  subject: string | null;
  /** Any id: the sender's event id, our uuid, the subject. */
  q: string | null;
  range: Range | null;
};

/** The last day, unless an id is looked for: then the indexes find it in all time. */
export function effectiveRange(filter: InboxFilter): Range {
  return filter.range ?? (filter.q || filter.subject ? "all" : "24h");
}

export function isNarrowed(filter: InboxFilter): boolean {
  const { status, source, type, account, subject, q } = filter;
  return status !== "all" || [source, type, account, subject, q].some((value) => value !== null);
}

/**
 * The list's filter as a bulk action takes it; null where it would cover everything. `now` is the list's clock in
 * milliseconds. A conflict is no state of its event: the rows that are listed for one alone are not among these.
 */
export function toBulkFilter(filter: InboxFilter, now: number): Record<string, string> | null {
  const range = effectiveRange(filter);
  const { status, source, account, type, subject, q } = filter;
  const since = range === "all" ? null : new Date(now - RANGE_HOURS[range] * 3_600_000).toISOString();
  const entries = Object.entries({
    status: status === "all" ? null : status,
    source,
    account,
    type,
    subject,
    q,
    since,
  }).filter((entry): entry is [string, string] => entry[1] !== null);
  return entries.length > 0 ? Object.fromEntries(entries) : null;
}

/** Where a page of rows ends: the time as PostgreSQL wrote it, with its microseconds, and the id. */
export type Cursor = { at: string; id: string };

export const formatCursor = ({ at, id }: Cursor): string => `${at.replace(" ", "T")}_${id}`;

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?[+-]\d\d(?::\d\d)?)_([0-9a-f-]{36})$/;

export function parseCursor(text: string | null): Cursor | null {
  const match = text && CURSOR.exec(text.replace(" ", "+"));
  return match && isUuid(match[2]!) ? { at: match[1]!, id: match[2]! } : null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);
