import { createLoader, createSerializer, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { type InboxFilter, parseCursor, RANGES, TABS, type Tab } from "#lib/console/inbox-filter.ts";

/** The inbox's address. Read by the page on the server and by the filters in the browser. */
export const filterParsers = {
  status: parseAsStringLiteral(TABS).withDefault("all"),
  source: parseAsString,
  type: parseAsString,
  account: parseAsString,
  subject: parseAsString,
  q: parseAsString,
  range: parseAsStringLiteral(RANGES),
  before: parseAsString,
  after: parseAsString,
};

export const loadInboxParams = createLoader(filterParsers);
const serialize = createSerializer(filterParsers);

export type InboxParams = Awaited<ReturnType<typeof loadInboxParams>>;

/** Text that PostgreSQL refuses (NUL, lone surrogates) matches nothing; an empty filter is none. */
const clean = (text: string | null) => text?.toWellFormed().replaceAll("\u0000", "\ufffd").trim() || null;

export function toFilter(params: InboxParams): InboxFilter {
  const { status, source, type, account, subject, q, range } = params;
  return {
    status,
    source: clean(source),
    type: clean(type),
    account: clean(account),
    subject: clean(subject),
    q: clean(q),
    range,
  };
}

export const toCursors = (params: InboxParams) => ({
  before: parseCursor(params.before),
  after: parseCursor(params.after),
});

/** The same list with other values; without a cursor unless one is given. */
export function inboxHref(params: InboxParams, values: Partial<InboxParams>): string {
  return serialize("/inbox", { ...params, before: null, after: null, ...values });
}

export const tabHrefs = (params: InboxParams): Record<Tab, string> =>
  Object.fromEntries(TABS.map((status) => [status, inboxHref(params, { status })])) as Record<Tab, string>;
