import Link from "next/link";
import { KIND_WORDS } from "#lib/console/kind-words.ts";
import { sourceHref } from "#lib/console/links.ts";
import { rejectionsHref } from "#lib/console/rejections.ts";
import type { SourceListItem } from "#lib/console/source-list.ts";
import { capped, number } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Blank } from "../blank.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Badges } from "./badges.tsx";

/** Every source: whether it takes anything, and what came in the last 24 hours. */
export function SourcesTable({ items, now }: { items: SourceListItem[]; now: string }) {
  return (
    <section className="panel" aria-label="Sources">
      {items.length === 0 ? (
        <Blank title="No source yet">
          A source is a sender that is pointed at an address of its own.{" "}
          <Link className="link" href="/sources/new">
            Add one
          </Link>
          , or use PUT /api/v1/sources/{"{id}"}.
        </Blank>
      ) : (
        <div className="table-wrap">
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Name</th>
                <th scope="col">Id</th>
                <th scope="col">Kind</th>
                <th scope="col">Accounts</th>
                <th scope="col" className="num">
                  Events, 24 h
                </th>
                <th scope="col" className="num">
                  Turned away, 24 h
                </th>
                <th scope="col" className="num">
                  Last event
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <SourceRow key={item.id} item={item} now={toMillis(now)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function SourceRow({ item, now }: { item: SourceListItem; now: number }) {
  const { id, accounts } = item;
  return (
    <tr className="open-row">
      <td className="lead">
        <Badges badges={item.badges} />
      </td>
      <td className="line">
        <Link className="row-link font-semibold" href={sourceHref(id)} prefetch={false}>
          <OutsideText>{item.name}</OutsideText>
        </Link>
      </td>
      <td>
        <Id full>{id}</Id>
      </td>
      <td className="text-ink-2">{KIND_WORDS[item.kind].name}</td>
      <td>
        {accounts[0] ? <Id>{accounts[0]}</Id> : <span className="text-ink-3">none</span>}
        {accounts.length > 1 ? (
          <span className="text-ink-3"> and {number(accounts.length - 1)} more</span>
        ) : null}
      </td>
      <td className="num" data-label="events">
        {capped(item.events)}
      </td>
      <td className="num" data-label="turned away">
        {item.rejections > 0 ? (
          <Link className="above link" href={rejectionsHref({ source: id })} prefetch={false}>
            {capped(item.rejections)}
          </Link>
        ) : (
          0
        )}
      </td>
      <td className="num when text-ink-2">
        {item.lastEventAt ? <Ago at={item.lastEventAt} now={now} /> : "never"}
      </td>
    </tr>
  );
}
