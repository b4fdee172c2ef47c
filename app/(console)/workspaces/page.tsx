import Link from "next/link";
import { readDb } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { listWorkspaces } from "#lib/console/workspaces.ts";
import { PageBar } from "../../_components/page-bar.tsx";
import { ProblemPanel } from "../../_components/problem-panel.tsx";
import { WorkspacesTable } from "../../_components/workspace/workspaces-table.tsx";
import { load } from "../load.ts";
import { readText } from "../read-text.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Workspaces" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function WorkspacesPage({ searchParams }: Props) {
  await requirePage("workspaces.read");
  const search = await searchParams;
  const q = readText(search.q);
  const page = await load("workspaces", listWorkspaces(readDb(), { q, after: readText(search.after) }));
  return (
    <>
      <PageBar title={<h1>Workspaces</h1>} />
      <form className="flex gap-2 mb-4 max-w-[62ch]">
        <input
          className="field"
          name="q"
          defaultValue={q ?? ""}
          aria-label="Beginning of an id or a name"
          placeholder="Beginning of an id or a name"
          autoComplete="off"
        />
        <button type="submit" className="btn">
          Find
        </button>
      </form>
      {page.ok ? (
        <WorkspacesTable items={page.value.items} searched={q !== null} />
      ) : (
        <ProblemPanel problem={page.problem} what="Workspaces" />
      )}
      {page.ok && page.value.next ? (
        <p className="mt-3 flex justify-end">
          <Link
            className="btn"
            href={`/workspaces?${new URLSearchParams({ ...(q ? { q } : {}), after: page.value.next })}`}
          >
            More
          </Link>
        </p>
      ) : null}
    </>
  );
}
