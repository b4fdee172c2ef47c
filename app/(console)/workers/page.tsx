import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { readWorkers } from "#lib/console/workers.ts";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { EventsPanel } from "../../_components/workers/events-panel.tsx";
import { SetAside } from "../../_components/workers/set-aside.tsx";
import { WorkersTable } from "../../_components/workers/workers-table.tsx";
import { load } from "../load.ts";
import { readViewer } from "../viewer.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Workers" };

export default async function WorkersPage() {
  await requirePage("processes.read");
  const [view, { zone }] = await Promise.all([load("workers", readWorkers(readDb())), readViewer()]);
  return (
    <>
      <PageBar title={<h1>Workers</h1>} />
      {view.ok ? (
        <div className="grid gap-4">
          <SetAside suspects={view.value.suspects} poison={view.value.poison} />
          <WorkersTable workers={view.value.workers} now={view.value.now} />
          <EventsPanel events={view.value.events} zone={zone} />
        </div>
      ) : (
        <ProblemPanel problem={view.problem} what="Workers" />
      )}
    </>
  );
}
