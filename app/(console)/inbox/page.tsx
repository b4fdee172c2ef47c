import type { SearchParams } from "nuqs/server";
import { Suspense } from "react";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { may } from "#lib/access/actions.ts";
import { countInbox } from "#lib/console/inbox-counts.ts";
import { listSources } from "#lib/console/sources.ts";
import { ExportMenu } from "../../_components/inbox/export-menu.tsx";
import { InboxFilters } from "../../_components/inbox/inbox-filters.tsx";
import { InboxTabs } from "../../_components/inbox/inbox-tabs.tsx";
import { ListSkeleton } from "../../_components/inbox/list-skeleton.tsx";
import { PageBar } from "../../_components/page-bar.tsx";
import { LiveStamp } from "../../_components/shell/live-stamp.tsx";
import { load } from "../load.ts";
import { InboxRows } from "./inbox-rows.tsx";
import { type InboxParams, inboxHref, loadInboxParams, tabHrefs, toFilter } from "./search-params.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Inbox" };

export default async function InboxPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const actor = await requirePage("inbox.read");
  const params = await loadInboxParams(searchParams);
  return (
    <>
      <PageBar title={<h1>Inbox</h1>} note={<LiveStamp />}>
        <ExportMenu query={inboxHref(params, {}).split("?")[1] ?? ""} />
      </PageBar>
      <Suspense fallback={<InboxTabs current={params.status} counts={null} hrefs={tabHrefs(params)} />}>
        <CountedTabs params={params} />
      </Suspense>
      <Suspense fallback={<div className="facets">&nbsp;</div>}>
        <Filters />
      </Suspense>
      <Suspense fallback={<ListSkeleton />}>
        <InboxRows params={params} mayRun={may(actor, "operations.run")} />
      </Suspense>
    </>
  );
}

async function CountedTabs({ params }: { params: InboxParams }) {
  const counts = await load("inbox counts", countInbox(readDb(), toFilter(params)));
  return (
    <InboxTabs current={params.status} counts={counts.ok ? counts.value : null} hrefs={tabHrefs(params)} />
  );
}

async function Filters() {
  const sources = await load("sources", listSources(readDb()));
  return <InboxFilters sources={sources.ok ? sources.value : []} />;
}
