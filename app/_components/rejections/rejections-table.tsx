import Link from "next/link";
import type { RejectionFilter, RejectionItem } from "#lib/api/reads/list-rejections.ts";
import { REJECTION_WORDS } from "#lib/console/rejection-words.ts";
import { rejectionsHref } from "#lib/console/rejections.ts";
import { bytes } from "#lib/console/text.ts";
import { toMillis } from "#lib/console/time.ts";
import { Ago } from "../ago.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

type Props = { items: RejectionItem[]; filter: RejectionFilter; now: string };

/** The samples: of a flood some, of everything else all. Never the body, never a secret. */
export function RejectionsTable({ items, filter, now }: Props) {
  return (
    <div className="table-wrap">
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">Reason</th>
            <th scope="col">Detail</th>
            <th scope="col">What to do</th>
            <th scope="col" className="optional">
              From
            </th>
            <th scope="col" className="num optional">
              Size
            </th>
            <th scope="col" className="num">
              When
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={item.id} item={item} filter={filter} now={toMillis(now)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ item, filter, now }: { item: RejectionItem; filter: RejectionFilter; now: number }) {
  const { word, advice } = REJECTION_WORDS[item.reason];
  return (
    <tr>
      <td className="lead">
        <Link
          className="quiet-link"
          href={rejectionsHref({ ...filter, source: item.source })}
          prefetch={false}
        >
          <Id>{item.source}</Id>
        </Link>
      </td>
      <td className="line">
        <Link
          className="quiet-link font-semibold"
          href={rejectionsHref({ ...filter, reason: item.reason })}
          prefetch={false}
        >
          {word}
        </Link>
      </td>
      <td className="text-ink-2">{item.detail ? <OutsideText>{item.detail}</OutsideText> : null}</td>
      <td className="wide wrap text-ink-2">{advice}</td>
      <td className="optional text-ink-2" data-label="from">
        {item.remoteAddress ? <Id full>{item.remoteAddress}</Id> : null}
      </td>
      <td className="num optional text-ink-2" data-label="size">
        {item.bytes === null ? null : bytes(item.bytes)}
      </td>
      <td className="num when text-ink-2">
        <Ago at={item.at} now={now} />
      </td>
    </tr>
  );
}
