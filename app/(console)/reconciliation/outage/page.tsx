import Link from "next/link";
import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { loadOutage } from "#lib/console/outage.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { Id } from "../../../_components/id.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { OutageSteps } from "../../../_components/reconciliation/outage-steps.tsx";
import { AutoRefresh } from "../../../_components/shell/auto-refresh.tsx";
import { readText } from "../../read-text.ts";
import { sendTest } from "../../sources/[id]/actions.ts";
import { compare } from "../actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "After an outage" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

/** Days: as far as an outage that somebody noticed late may reach. */
const REACH = 30;

export default async function OutageGuidePage({ searchParams }: Props) {
  await requirePage("reconcile.run");
  const id = readText((await searchParams).source);
  const page = id ? await withDeadline(loadOutage(db(), id)) : null;
  if (!id || !page) notFound();
  return (
    <>
      <PageBar
        title={
          <h1>
            After an outage: <Id>{id}</Id>
          </h1>
        }
      >
        <Link className="btn" href="/reconciliation">
          Reconciliation
        </Link>
      </PageBar>
      <AutoRefresh on="beat" />
      <OutageSteps
        page={page}
        test={sendTest.bind(null, id)}
        run={(request) => compare.bind(null, { source: id, days: REACH, ...request })}
      />
    </>
  );
}
