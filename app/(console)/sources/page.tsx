import Link from "next/link";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { secretKeys } from "#app/secret-keys.ts";
import { loadSourceList } from "#lib/console/source-list.ts";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { AutoRefresh } from "../../_components/shell/auto-refresh.tsx";
import { SourcesTable } from "../../_components/sources/sources-table.tsx";
import { load } from "../load.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Sources" };

export default async function SourcesPage() {
  await requirePage("sources.read");
  const list = await load("sources", loadSourceList(readDb(), secretKeys()));
  return (
    <>
      <PageBar title={<h1>Sources</h1>}>
        <Link className="btn main" href="/sources/new">
          Add a source
        </Link>
      </PageBar>
      <AutoRefresh on="change" />
      {list.ok ? <SourcesTable {...list.value} /> : <ProblemPanel problem={list.problem} what="Sources" />}
    </>
  );
}
