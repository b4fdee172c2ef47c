import Link from "next/link";
import type { GrantItem } from "#lib/console/invoices.ts";
import { invoiceHref, workspaceHref } from "#lib/console/links.ts";
import { money, number } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

type Props = { items: GrantItem[]; now: string };

export function GrantsTable({ items, now }: Props) {
  return (
    <Panel title="Latest grants" aside={items.length > 0 ? `newest ${items.length}` : undefined}>
      {items.length === 0 ? (
        <Blank title="Nothing was granted yet">Each paid invoice that grants credits appears here.</Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">Invoice</th>
                <th scope="col">Workspace</th>
                <th scope="col" className="num">
                  Credits
                </th>
                <th scope="col" className="num">
                  Paid
                </th>
                <th scope="col">Source</th>
                <th scope="col" className="optional">
                  Account
                </th>
                <th scope="col" className="num">
                  Granted
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <GrantRow key={item.id} item={item} now={toMillis(now)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function GrantRow({ item, now }: { item: GrantItem; now: number }) {
  return (
    <tr className="open-row">
      <td className="lead">
        <Link className="row-link" href={invoiceHref(item)} prefetch={false}>
          <Id>{item.subject}</Id>
        </Link>
      </td>
      <td className="line">
        <Link className="above quiet-link" href={workspaceHref(item.workspaceId)} prefetch={false}>
          <OutsideText>{item.workspaceName}</OutsideText>
        </Link>
      </td>
      <td className="num" data-label="credits">
        {number(BigInt(item.amount))}
      </td>
      <td className="num" data-label="paid">
        {item.paidAmount && item.paidCurrency ? money(item.paidAmount, item.paidCurrency) : ""}
      </td>
      <td>{item.sourceId}</td>
      <td className="optional">
        <Id className="text-ink-3">{item.account}</Id>
      </td>
      <td className="num when text-ink-2">
        <Ago at={item.createdAt} now={now} />
      </td>
    </tr>
  );
}
