import Link from "next/link";
import { outboxBadge } from "#lib/console/badge.ts";
import { eventHref, invoiceHref } from "#lib/console/links.ts";
import type { OutboxItem } from "#lib/console/outbox-list.ts";
import { maskAddress } from "#lib/console/slips.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Badge } from "../badge.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

/** The newest messages, to read. */
export function OutboxTable({ items, now }: { items: OutboxItem[]; now: string }) {
  return (
    <section className="panel" aria-label="Messages">
      {items.length === 0 ? (
        <Blank title="Nothing has to be sent">Each grant leaves its confirmation here.</Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Topic</th>
                <th scope="col">To</th>
                <th scope="col">Invoice</th>
                <th scope="col">Why</th>
                <th scope="col" className="num">
                  Tries
                </th>
                <th scope="col" className="num">
                  Intended
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <MessageRow key={item.id} item={item} now={toMillis(now)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function MessageRow({ item, now }: { item: OutboxItem; now: number }) {
  return (
    <tr>
      <td className="lead">
        <Badge badge={outboxBadge(item.status)} />
      </td>
      <td className="line">
        {item.inboxEventId ? (
          <Link className="quiet-link" href={eventHref(item.inboxEventId)} prefetch={false}>
            {item.topic}
          </Link>
        ) : (
          item.topic
        )}
        <span className="text-ink-3">, {item.channel === "email" ? "e-mail" : item.channel}</span>
      </td>
      <td>
        <Id full>{maskAddress(item.destination)}</Id>
      </td>
      <td>
        <Link className="quiet-link" href={invoiceHref(item)} prefetch={false}>
          <Id>{item.subject}</Id>
        </Link>
      </td>
      <td className="wide text-ink-2">
        {item.lastError ? <OutsideText>{item.lastError}</OutsideText> : null}
      </td>
      <td className="num" data-label="tries">
        {item.attempts}
      </td>
      <td className="num when text-ink-2">
        <Ago at={item.createdAt} now={now} />
      </td>
    </tr>
  );
}
