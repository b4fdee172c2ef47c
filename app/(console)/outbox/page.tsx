import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { listOutbox } from "#lib/console/outbox-list.ts";
import { countOf } from "#lib/console/text.ts";
import { OutboxTable } from "../../_components/outbox/outbox-table.tsx";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { load } from "../load.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Outbox" };

export default async function OutboxPage() {
  await requirePage("outbox.read");
  const page = await load("outbox", listOutbox(readDb()));
  const note = page.ok && page.value.pending > 0 ? `${countOf(page.value.pending, "message")} pending` : null;
  return (
    <>
      <PageBar title={<h1>Outbox</h1>} note={note} />
      {page.ok ? <OutboxTable {...page.value} /> : <ProblemPanel problem={page.problem} what="Messages" />}
    </>
  );
}
