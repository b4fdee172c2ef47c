import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { sharedHealth } from "#lib/console/overview.ts";
import { sharedProcesses } from "#lib/console/processes.ts";
import { sharedThroughput } from "#lib/console/throughput.ts";
import { HealthCards } from "../_components/overview/health-cards.tsx";
import { HeapsTable } from "../_components/overview/heaps-table.tsx";
import { ProcessesPanel } from "../_components/overview/processes-panel.tsx";
import { ThroughputChart } from "../_components/overview/throughput-chart.tsx";
import { PageBar } from "../_components/page-bar.tsx";
import { ProblemPanel } from "../_components/problem-panel.tsx";
import { AutoRefresh } from "../_components/shell/auto-refresh.tsx";
import { LiveStamp } from "../_components/shell/live-stamp.tsx";
import { load } from "./load.ts";
import { readViewer } from "./viewer.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Overview" };

export default async function OverviewPage() {
  await requirePage("overview.read");
  const [{ zone }, health, processes, minutes] = await Promise.all([
    readViewer(),
    load("health", sharedHealth(readDb())),
    load("processes", sharedProcesses(readDb())),
    load("throughput", sharedThroughput(readDb())),
  ]);
  const now = health.ok ? health.value.now : Date.now();
  return (
    <>
      <PageBar title={<h1>Overview</h1>} note={<LiveStamp readAt={health.ok ? now : undefined} />} />
      <AutoRefresh on="beat" />
      <div className="grid gap-4">
        {health.ok ? (
          <HealthCards health={health.value} />
        ) : (
          <ProblemPanel problem={health.problem} what="Health" />
        )}
        <div className="grid gap-4 wide:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] items-start">
          {minutes.ok ? (
            <ThroughputChart minutes={minutes.value} zone={zone} />
          ) : (
            <ProblemPanel problem={minutes.problem} what="Throughput" />
          )}
          {processes.ok ? (
            <ProcessesPanel processes={processes.value} now={now} zone={zone} />
          ) : (
            <ProblemPanel problem={processes.problem} what="Processes" />
          )}
        </div>
        {health.ok ? <HeapsTable health={health.value} /> : null}
      </div>
    </>
  );
}
