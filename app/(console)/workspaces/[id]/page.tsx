import Link from "next/link";
import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { may } from "#lib/access/actions.ts";
import { isUuid } from "#lib/console/inbox-filter.ts";
import { workspaceHref } from "#lib/console/links.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { revealPlain } from "#lib/console/text.ts";
import { loadLedger } from "#lib/console/workspaces.ts";
import { OutsideText } from "../../../_components/outside-text.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { AutoRefresh } from "../../../_components/shell/auto-refresh.tsx";
import { CorrectDialog } from "../../../_components/workspace/correct-dialog.tsx";
import { LedgerView } from "../../../_components/workspace/ledger-view.tsx";
import { readSegment, readText } from "../../read-text.ts";
import { correct } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Workspace" };

type Props = {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function WorkspacePage({ params, searchParams }: Props) {
  const actor = await requirePage("workspaces.read");
  const [{ id }, search] = await Promise.all([params, searchParams]);
  const before = readText(search.before);
  const workspace = readSegment(id);
  const ledger =
    workspace && (await withDeadline(loadLedger(db(), workspace, before && isUuid(before) ? before : null)));
  if (!ledger) notFound();
  return (
    <>
      <PageBar
        title={
          <h1 className="flex gap-3 items-baseline text-3! font-normal! tracking-normal! min-w-0">
            <Link className="text-ink-3 quiet-link" href="/workspaces">
              Workspaces
            </Link>
            <span className="text-ink-3" aria-hidden="true">
              /
            </span>
            <span className="font-semibold truncate">
              <OutsideText>{ledger.name}</OutsideText>
            </span>
          </h1>
        }
      >
        {may(actor, "workspaces.correct") ? (
          <CorrectDialog
            name={revealPlain(ledger.name)}
            balance={ledger.balance}
            action={correct.bind(null, ledger.id)}
          />
        ) : null}
      </PageBar>
      <AutoRefresh on="change" />
      <LedgerView ledger={ledger} />
      {ledger.older ? (
        <p className="mt-3 flex justify-end">
          <Link className="btn" href={`${workspaceHref(ledger.id)}?before=${ledger.older}`}>
            Older
          </Link>
        </p>
      ) : null}
    </>
  );
}
