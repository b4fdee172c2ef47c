import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { isOpen } from "#lib/console/operation-words.ts";
import { loadOperations } from "#lib/console/operations.ts";
import { Blank } from "../../_components/blank.tsx";
import { Pager } from "../../_components/inbox/pager.tsx";
import { OperationsTable } from "../../_components/operations/operations-table.tsx";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { AutoRefresh } from "../../_components/shell/auto-refresh.tsx";
import { load } from "../load.ts";
import { readText } from "../read-text.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Operations" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function OperationsPage({ searchParams }: Props) {
  await requirePage("operations.read");
  const before = readText((await searchParams).before);
  const page = await load("operations", loadOperations(readDb(), before));
  return (
    <>
      <PageBar title={<h1>Operations</h1>} note="what was done to many at once" />
      {page.ok ? <Operations page={page.value} /> : <ProblemPanel problem={page.problem} what="Operations" />}
    </>
  );
}

function Operations({
  page: { items, now, nextCursor, isFirst },
}: {
  page: Awaited<ReturnType<typeof loadOperations>>;
}) {
  if (items.length === 0) {
    return (
      <section className="panel" aria-label="Operations">
        <Blank title="No bulk action yet">
          Select rows in the inbox, or all that match its filter, and replay or dismiss them together.
        </Blank>
      </section>
    );
  }
  return (
    <>
      {items.some(isOpen) ? <AutoRefresh on="beat" /> : null}
      <section className="panel" aria-label="Operations">
        <OperationsTable items={items} now={now} />
      </section>
      <Pager
        rows={items.length}
        newer={isFirst ? null : "/operations"}
        older={nextCursor && `/operations?before=${nextCursor}`}
      />
    </>
  );
}
