import Link from "next/link";
import type { OperationItem } from "#lib/api/reads/operations.ts";
import { namedBadge } from "#lib/console/badge.ts";
import { eventHref } from "#lib/console/links.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

/** Row by row, in the order in which they are taken. */
export function ItemsTable({ items, zone }: { items: OperationItem[]; zone: string }) {
  return (
    <div className="table-wrap">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">What</th>
            <th scope="col">Subject</th>
            <th scope="col">Was</th>
            <th scope="col">Why</th>
            <th scope="col" className="num">
              At
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={item.ordinal} item={item} zone={zone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const OPEN = { tone: "mute", glyph: "·", word: "not yet" } as const;

function Row({ item, zone }: { item: OperationItem; zone: string }) {
  const name = item.type ?? (item.message ? "message" : "event");
  return (
    <tr className="open-row">
      <td className="lead">
        <Badge badge={item.verdict ? namedBadge(item.verdict) : OPEN} />
      </td>
      <td className="line">
        <Link
          className="row-link"
          href={item.event ? eventHref(item.event) : `/outbox/${item.message}`}
          prefetch={false}
        >
          <OutsideText>{name}</OutsideText>
        </Link>
      </td>
      <td>{item.subject ? <Id>{item.subject}</Id> : null}</td>
      <td className="text-ink-2">{item.was}</td>
      <td className="wide text-ink-2">{item.why ? <OutsideText>{item.why}</OutsideText> : null}</td>
      <td className="num when text-ink-2">
        {item.finishedAt ? <Clock at={item.finishedAt} zone={zone} withDay /> : null}
      </td>
    </tr>
  );
}
