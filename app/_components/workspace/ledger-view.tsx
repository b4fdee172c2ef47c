import Link from "next/link";
import { eventHref, invoiceHref } from "#lib/console/links.ts";
import { maskAddress } from "#lib/console/slips.ts";
import { money, number } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import type { Ledger, LedgerEntry } from "#lib/console/workspaces.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** A workspace's balance and the entries that make it. */
export function LedgerView({ ledger }: { ledger: Ledger }) {
  const agrees = ledger.balance === ledger.sum;
  return (
    <div className="side">
      <Panel title="Ledger" aside="newest first">
        {ledger.entries.length === 0 ? (
          <Blank title="No entry yet" />
        ) : (
          <div className="table-wrap">
            <table className="rows">
              <thead>
                <tr>
                  <th scope="col" className="num">
                    Credits
                  </th>
                  <th scope="col">Operation</th>
                  <th scope="col">Subject</th>
                  <th scope="col">Source</th>
                  <th scope="col" className="num">
                    Paid
                  </th>
                  <th scope="col" className="num">
                    Entered
                  </th>
                </tr>
              </thead>
              <tbody>
                {ledger.entries.map((entry) => (
                  <EntryRow key={entry.id} entry={entry} now={toMillis(ledger.now)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      <aside className="panel" aria-label="About this workspace">
        <dl className="facts">
          <dt>Credits</dt>
          <dd className="num font-semibold">{number(BigInt(ledger.balance))}</dd>
          <dt>Sum of entries</dt>
          <dd>
            {agrees ? (
              <Badge badge={{ tone: "ok", glyph: "✓", word: "agrees" }} />
            ) : (
              <Badge badge={{ tone: "bad", glyph: "!", word: `is ${number(BigInt(ledger.sum))}` }} />
            )}
          </dd>
          <dt>Id</dt>
          <dd>
            <Id>{ledger.id}</Id>
          </dd>
          <dt>Tenant</dt>
          <dd>
            <OutsideText>{ledger.tenantId}</OutsideText>
          </dd>
          <dt>Contact</dt>
          <dd>{ledger.contact ? <Id full>{maskAddress(ledger.contact)}</Id> : "none: no confirmations"}</dd>
        </dl>
      </aside>
    </div>
  );
}

function EntryRow({ entry, now }: { entry: LedgerEntry; now: number }) {
  return (
    <tr className="open-row">
      <td className="num lead">
        {entry.amount.startsWith("-") ? "" : "+"}
        {number(BigInt(entry.amount))}
      </td>
      <td className="line">
        <Link className="row-link" href={eventHref(entry.inboxEventId)} prefetch={false}>
          <OutsideText>{entry.operation}</OutsideText>
        </Link>
        {entry.shortfall === "0" ? null : (
          <span className="text-ink-3"> · shortfall {number(BigInt(entry.shortfall))}</span>
        )}
      </td>
      <td>
        <Link className="above quiet-link" href={invoiceHref(entry)} prefetch={false}>
          <Id>{entry.subject}</Id>
        </Link>
      </td>
      <td>{entry.sourceId}</td>
      <td className="num">
        {entry.paidAmount && entry.paidCurrency ? money(entry.paidAmount, entry.paidCurrency) : ""}
      </td>
      <td className="num when text-ink-2">
        <Ago at={entry.createdAt} now={now} />
      </td>
    </tr>
  );
}
