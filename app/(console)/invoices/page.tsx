import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { listGrants } from "#lib/console/invoices.ts";
import { GrantsTable } from "../../_components/invoice/grants-table.tsx";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { load } from "../load.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Invoices" };

export default async function InvoicesPage() {
  await requirePage("trace.read");
  const grants = await load("grants", listGrants(readDb()));
  return (
    <>
      <PageBar title={<h1>Invoices</h1>} />
      <form action="/go" className="flex gap-2 mb-4 max-w-[62ch]">
        <input
          className="field"
          name="id"
          aria-label="Invoice id"
          placeholder="Invoice id, for example in_1Pgc9xB7WZ01zgkW2M"
          autoComplete="off"
          spellCheck={false}
          required
        />
        <button type="submit" className="btn main">
          Show
        </button>
      </form>
      {grants.ok ? (
        <GrantsTable {...grants.value} />
      ) : (
        <ProblemPanel problem={grants.problem} what="Grants" />
      )}
    </>
  );
}
