import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { isGapClass, loadReconciliation } from "#lib/console/reconciliation.ts";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { GapsPanel } from "../../_components/reconciliation/gaps-panel.tsx";
import { RunsPanel } from "../../_components/reconciliation/runs-panel.tsx";
import { StandingsPanel } from "../../_components/reconciliation/standings-panel.tsx";
import { AutoRefresh } from "../../_components/shell/auto-refresh.tsx";
import { load } from "../load.ts";
import { readText } from "../read-text.ts";
import { cancel, compare, dismiss, repair } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Reconciliation" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function ReconciliationPage({ searchParams }: Props) {
  await requirePage("reconcile.read");
  const search = await searchParams;
  const kind = readText(search.class);
  const filter = {
    source: readText(search.source) ?? undefined,
    class: isGapClass(kind) ? kind : undefined,
  };
  const page = await load("reconciliation", loadReconciliation(db(), filter));
  return (
    <>
      <PageBar title={<h1>Reconciliation</h1>} note="the sender's books and what is here" />
      <AutoRefresh on="beat" />
      {page.ok ? (
        <div className="grid grid-cols-1 gap-4">
          <StandingsPanel
            sources={page.value.sources}
            now={page.value.now}
            compare={(source, days, isRepair) =>
              compare.bind(null, { source, days, repair: isRepair, redeliver: false })
            }
            repairAll={(source) => repair.bind(null, source, null)}
          />
          <GapsPanel
            {...page.value}
            filter={filter}
            repair={(gap) => repair.bind(null, gap.source, [gap.id])}
            dismiss={(gap) => dismiss.bind(null, gap.id)}
          />
          <RunsPanel runs={page.value.runs} now={page.value.now} cancel={(id) => cancel.bind(null, id)} />
        </div>
      ) : (
        <ProblemPanel problem={page.problem} what="Reconciliation" />
      )}
    </>
  );
}
