"use client";

import { useTable } from "@tanstack/react-table";
import { useMemo } from "react";
import type { InboxItem } from "#lib/console/inbox-list.ts";
import { revealPlain } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import { COLUMN_CLASS, inboxColumns, inboxFeatures } from "./inbox-columns.tsx";
import type { Selection } from "./use-selection.ts";

/** A click tells of the Shift key, a change does not; React wants to hear of one. */
const keepControlled = () => {};

type Props = { items: InboxItem[]; now: string; selection: Selection | null };

/**
 * The rows. The server pages, filters and sorts; the roles are named because on a phone the rows are laid out as
 * slips, and a browser forgets that something is a table when its display changes.
 */
export function InboxTable({ items, now, selection }: Props) {
  const data = useMemo(() => items.map((item) => ({ ...item, now: toMillis(now) })), [items, now]);
  const table = useTable({ features: inboxFeatures, columns: inboxColumns, data, getRowId: (row) => row.id });
  return (
    <div className="table-wrap">
      {/* biome-ignore-start lint/a11y/noRedundantRoles: see above */}
      <table className="rows" role="table" aria-label="Events">
        <thead role="rowgroup">
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} role="row">
              {selection ? (
                <th role="columnheader" scope="col" className="pick">
                  <input
                    type="checkbox"
                    aria-label="Pick every row of this page"
                    checked={selection.ids.length === items.length}
                    ref={(box) => {
                      if (box)
                        box.indeterminate = selection.ids.length > 0 && selection.ids.length < items.length;
                    }}
                    onChange={selection.ids.length === items.length ? selection.clear : selection.pickPage}
                  />
                </th>
              ) : null}
              {group.headers.map((header) => (
                <th key={header.id} role="columnheader" scope="col" className={COLUMN_CLASS[header.id]}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody role="rowgroup">
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              role="row"
              className="open-row"
              data-picked={selection?.has(row.id) || undefined}
            >
              {selection ? (
                <td role="cell" className="pick">
                  <input
                    type="checkbox"
                    aria-label={`Pick ${revealPlain(row.original.type)} ${revealPlain(row.original.eventId)}`}
                    checked={selection.has(row.id)}
                    onClick={(event) => selection.toggle(row.id, event)}
                    onChange={keepControlled}
                  />
                </td>
              ) : null}
              {row.getAllCells().map((cell) => (
                <td key={cell.id} role="cell" className={COLUMN_CLASS[cell.column.id]}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
    </div>
  );
}
