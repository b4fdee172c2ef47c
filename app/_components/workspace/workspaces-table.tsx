import Link from "next/link";
import { workspaceHref } from "#lib/console/links.ts";
import { number } from "#lib/console/text.ts";
import type { WorkspaceItem } from "#lib/console/workspaces.ts";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

export function WorkspacesTable({ items, searched }: { items: WorkspaceItem[]; searched: boolean }) {
  return (
    <section className="panel" aria-label="Workspaces">
      {items.length === 0 ? (
        <Blank title={searched ? "No workspace begins like this" : "No workspace yet"}>
          {searched ? null : "They come in through the HTTP API: PUT /api/v1/workspaces/{id}."}
        </Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Id</th>
                <th scope="col">Tenant</th>
                <th scope="col">Contact</th>
                <th scope="col" className="num">
                  Credits
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <tr key={item.id} className="open-row">
                  <td className="lead">
                    <Link className="row-link" href={workspaceHref(item.id)} prefetch={false}>
                      <OutsideText>{item.name}</OutsideText>
                    </Link>
                  </td>
                  <td>
                    <Id>{item.id}</Id>
                  </td>
                  <td>
                    <OutsideText>{item.tenantId}</OutsideText>
                  </td>
                  <td className="text-ink-2">{item.contact ? "yes" : "none"}</td>
                  <td className="num when">{number(BigInt(item.balance))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
