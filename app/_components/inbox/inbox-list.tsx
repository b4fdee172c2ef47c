"use client";

import type { InboxItem } from "#lib/console/inbox-list.ts";
import { InboxTable } from "./inbox-table.tsx";
import { NewRows } from "./new-rows.tsx";
import { PickedBar } from "./picked-bar.tsx";
import { useSelection } from "./use-selection.ts";

type Props = {
  items: InboxItem[];
  now: string;
  /** The address of the list without its cursor: another one is another list. */
  query: string;
  /** Since when newer rows are asked for; null on pages that are not the first. */
  newest: string | null;
  /** Null for who may not do anything with many at once. */
  bulk: { filter: Record<string, string> | null; matching: Promise<number | null> } | null;
};

/** The rows, and what can be done with those that are picked. */
export function InboxList({ items, now, query, newest, bulk }: Props) {
  const selection = useSelection(
    items.map(({ id }) => id),
    query,
  );
  const isPicking = selection.ids.length > 0;
  return (
    <>
      {newest && !isPicking ? <NewRows query={query} cursor={newest} /> : null}
      <section className="panel" aria-label="Events">
        <InboxTable items={items} now={now} selection={bulk ? selection : null} />
      </section>
      {bulk && isPicking ? <PickedBar selection={selection} page={items.length} {...bulk} /> : null}
    </>
  );
}
