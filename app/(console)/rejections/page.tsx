import Link from "next/link";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { isReason, loadRejections, type RejectionsPage, rejectionsHref } from "#lib/console/rejections.ts";
import { Blank } from "../../_components/blank.tsx";
import { Pager } from "../../_components/inbox/pager.tsx";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { ReasonsPanel } from "../../_components/rejections/reasons-panel.tsx";
import { RejectionFilters } from "../../_components/rejections/rejection-filters.tsx";
import { RejectionsTable } from "../../_components/rejections/rejections-table.tsx";
import { load } from "../load.ts";
import { readText } from "../read-text.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Rejections" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function RejectionsListPage({ searchParams }: Props) {
  await requirePage("rejections.read");
  const search = await searchParams;
  const reason = readText(search.reason);
  const before = readText(search.before);
  const filter = {
    source: readText(search.source) ?? undefined,
    reason: isReason(reason) ? reason : undefined,
  };
  const position = before && /^\d{1,18}$/.test(before) ? before : null;
  const page = await load("rejections", loadRejections(readDb(), filter, position));
  return (
    <>
      <PageBar title={<h1>Rejections</h1>} note="requests that the receiver turned away" />
      {page.ok ? (
        <div className="grid gap-4">
          <ReasonsPanel counts={page.value.lastDay} filter={filter} />
          <Samples page={page.value} filter={filter} isFirst={position === null} />
        </div>
      ) : (
        <ProblemPanel problem={page.problem} what="Rejections" />
      )}
    </>
  );
}

type SamplesProps = {
  page: RejectionsPage;
  filter: Parameters<typeof rejectionsHref>[0];
  isFirst: boolean;
};

function Samples({ page: { items, older, now }, filter, isFirst }: SamplesProps) {
  return (
    <div>
      <RejectionFilters filter={filter} />
      <section className="panel" aria-label="Samples">
        {items.length > 0 ? (
          <RejectionsTable items={items} filter={filter} now={now} />
        ) : (
          <Blank title={filter.source || filter.reason ? "No sample matches" : "No sample"}>
            The newest 10,000 are kept; of a flood ten per second, source and reason.{" "}
            {isFirst ? null : (
              <Link className="link" href={rejectionsHref(filter)}>
                Back to the newest
              </Link>
            )}
          </Blank>
        )}
      </section>
      <Pager
        rows={items.length}
        newer={isFirst ? null : rejectionsHref(filter)}
        older={older && rejectionsHref(filter, older)}
      />
    </div>
  );
}
