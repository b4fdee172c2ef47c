import Link from "next/link";
import type { Page } from "#lib/api/cursor.ts";
import { FAILURES, type OperationItem, type OperationView } from "#lib/api/reads/operations.ts";
import type { ItemTab } from "#lib/console/operations.ts";
import { capped } from "#lib/console/text.ts";
import { Blank } from "../blank.tsx";
import { Pager } from "../inbox/pager.tsx";
import { ItemsTable } from "./items-table.tsx";

type Props = {
  operation: OperationView;
  page: Page<OperationItem>;
  tab: ItemTab;
  zone: string;
  hrefOf(tab: ItemTab, after?: string | null): string;
};

/** First what did not go as it was meant to. */
export function ItemsPanel({ operation: { verdicts, count }, page, tab, zone, hrefOf }: Props) {
  const failures = FAILURES.reduce((sum, verdict) => sum + (verdicts[verdict] ?? 0), 0);
  const tabs: [ItemTab, string, number][] = [
    ["failures", "To look at", failures],
    ["all", "All", count],
  ];
  return (
    <div>
      <nav className="tabs mb-3" aria-label="Rows">
        {tabs.map(([name, word, items]) => (
          <Link key={name} href={hrefOf(name)} aria-current={name === tab ? "page" : undefined}>
            {word}
            <b>{capped(items)}</b>
          </Link>
        ))}
      </nav>
      <section className="panel" aria-label="Rows of this operation">
        {page.items.length > 0 ? (
          <ItemsTable items={page.items} zone={zone} />
        ) : (
          <Blank title="Nothing to look at">
            No row was skipped, refused or blocked, and none failed.{" "}
            <Link className="link" href={hrefOf("all")}>
              All rows
            </Link>
          </Blank>
        )}
      </section>
      <Pager rows={page.items.length} newer={null} older={page.nextCursor && hrefOf(tab, page.nextCursor)} />
    </div>
  );
}
