import Link from "next/link";
import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { may } from "#lib/access/actions.ts";
import { operationHref } from "#lib/console/links.ts";
import { isOpen, operationBadge, operationTitle } from "#lib/console/operation-words.ts";
import { ITEM_TABS, type ItemTab, loadOperation } from "#lib/console/operations.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { toMillis } from "#lib/console/time.ts";
import { findAction } from "#lib/operations/actions.ts";
import { Badge } from "../../../_components/badge.tsx";
import { CancelButton } from "../../../_components/operations/cancel-button.tsx";
import { ItemsPanel } from "../../../_components/operations/items-panel.tsx";
import { OperationFacts } from "../../../_components/operations/operation-facts.tsx";
import { Progress } from "../../../_components/operations/progress.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { AutoRefresh } from "../../../_components/shell/auto-refresh.tsx";
import { readText } from "../../read-text.ts";
import { readViewer } from "../../viewer.ts";
import { cancel } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Operation" };

type Props = {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export default async function OperationPage({ params, searchParams }: Props) {
  const actor = await requirePage("operations.read");
  const [{ id }, search, { zone }] = await Promise.all([params, searchParams, readViewer()]);
  const tab = readTab(readText(search.items));
  const after = /^\d{1,9}$/.exec(readText(search.after) ?? "")?.[0] ?? "0";
  // Not the replica: it is looked at right after it was started.
  const found = await withDeadline(loadOperation(db(), id, tab, Number(after)));
  if (!found) notFound();
  const { operation, items, now } = found;
  const open = isOpen(operation);
  return (
    <>
      <PageBar
        title={
          <h1 className="flex gap-3 items-center text-3! font-normal! tracking-normal! min-w-0">
            <Link className="text-ink-3 quiet-link" href="/operations">
              Operations
            </Link>
            <span className="text-ink-3" aria-hidden="true">
              /
            </span>
            <span className="font-semibold truncate">{operationTitle(operation)}</span>
            <Badge badge={operationBadge(operation)} />
          </h1>
        }
        note={<Progress operation={operation} />}
      >
        {open && may(actor, findAction(operation.action)?.asks ?? "operations.run") ? (
          <CancelButton operation={operation} now={toMillis(now)} cancel={cancel.bind(null, operation.id)} />
        ) : null}
      </PageBar>
      {open ? <AutoRefresh on="beat" /> : null}
      <div className="grid gap-4">
        <OperationFacts operation={operation} zone={zone} />
        <ItemsPanel
          operation={operation}
          page={items}
          tab={tab}
          zone={zone}
          hrefOf={(wanted, cursor) =>
            `${operationHref(operation.id)}?items=${wanted}${cursor ? `&after=${cursor}` : ""}`
          }
        />
      </div>
    </>
  );
}

const readTab = (text: string | null): ItemTab => ITEM_TABS.find((tab) => tab === text) ?? "failures";
