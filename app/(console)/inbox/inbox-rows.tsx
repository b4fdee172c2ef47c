import Link from "next/link";
import { readDb } from "#app/db.ts";
import { countMatching } from "#lib/console/inbox-counts.ts";
import {
  effectiveRange,
  formatCursor,
  isNarrowed,
  RANGE_WORDS,
  toBulkFilter,
} from "#lib/console/inbox-filter.ts";
import { listInbox } from "#lib/console/inbox-list.ts";
import { toMillis } from "#lib/console/time.ts";
import { Blank } from "../../_components/blank.tsx";
import { InboxList } from "../../_components/inbox/inbox-list.tsx";
import { NewRows } from "../../_components/inbox/new-rows.tsx";
import { Pager } from "../../_components/inbox/pager.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { load } from "../load.ts";
import { type InboxParams, inboxHref, toCursors, toFilter } from "./search-params.ts";

const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/** The rows of one page with everything that can be said instead: none at all, none that match, not available. */
export async function InboxRows({ params, mayRun }: { params: InboxParams; mayRun: boolean }) {
  const cursors = toCursors(params);
  const matching = mayRun ? countAll(params) : null;
  const page = await load("inbox", listInbox(readDb(), toFilter(params), cursors));
  if (!page.ok) return <ProblemPanel problem={page.problem} what="Events" />;
  const { items, now, older, newer } = page.value;
  const newest = items[0] ? { at: items[0].receivedAt, id: items[0].id } : { at: now, id: FIRST_ID };
  const isFirst = newer === null && !cursors.before;
  const filter = toBulkFilter(toFilter(params), toMillis(now));
  return (
    <>
      {items.length > 0 ? (
        <InboxList
          items={items}
          now={now}
          query={inboxHref(params, {}).split("?")[1] ?? ""}
          newest={isFirst ? formatCursor(newest) : null}
          bulk={matching && { filter, matching }}
        />
      ) : (
        <>
          {isFirst ? (
            <NewRows query={inboxHref(params, {}).split("?")[1] ?? ""} cursor={formatCursor(newest)} />
          ) : null}
          <section className="panel" aria-label="Events">
            <NoRows params={params} />
          </section>
        </>
      )}
      <Pager
        rows={items.length}
        newer={newer && inboxHref(params, { after: newer })}
        older={older && inboxHref(params, { before: older })}
      />
    </>
  );
}

/** Comes after the rows, which do not wait for it. */
async function countAll(params: InboxParams): Promise<number | null> {
  const count = await load("matching events", countMatching(readDb(), toFilter(params)));
  return count.ok ? count.value : null;
}

function NoRows({ params }: { params: InboxParams }) {
  const filter = toFilter(params);
  const range = effectiveRange(filter);
  const wider = range === "all" ? null : inboxHref(params, { range: "all" });
  if (!isNarrowed(filter) && range === "all" && !params.before && !params.after) {
    return (
      <Blank title="No event yet">
        Point a sender at <code>/api/webhooks/…</code>, or run the sample command that was printed at the
        start.
      </Blank>
    );
  }
  return (
    <Blank title={isNarrowed(filter) ? "No event matches" : `No event in the ${RANGE_WORDS[range]}`}>
      {range === "all" ? "In all time, with these filters. " : `Looked at: ${RANGE_WORDS[range]}. `}
      {wider ? (
        <Link className="link" href={wider}>
          Look at all time
        </Link>
      ) : (
        <Link className="link" href="/inbox?range=all">
          Without filters
        </Link>
      )}
    </Blank>
  );
}
