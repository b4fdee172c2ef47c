import Link from "next/link";
import { eventHref } from "#lib/console/links.ts";
import type { Slip as SlipView } from "#lib/console/slips.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

type Props = { slip: SlipView; zone: string; withDay: boolean };

/** One counterfoil. The dotted line between stub and body is the commit. */
export function Slip({ slip, zone, withDay }: Props) {
  const { stub } = slip;
  const title = <OutsideText>{stub.title}</OutsideText>;
  return (
    <article className={slip.isVoid ? "slip void" : "slip"}>
      <div className="stub">
        <Clock at={slip.at} zone={zone} withDay={withDay} className="text-1 text-ink-3" />
        <b>
          {stub.href ? (
            <Link className="quiet-link" href={eventHref(stub.href)}>
              {title}
            </Link>
          ) : (
            title
          )}
        </b>
        {stub.id ? <Id className="text-ink-3">{stub.id}</Id> : null}
        {stub.id && stub.more ? ", " : null}
        {stub.more ? (
          <span className="text-ink-2">
            <OutsideText>{stub.more}</OutsideText>
          </span>
        ) : null}
      </div>
      <div className="body">
        <h3>
          <OutsideText>{slip.title}</OutsideText>
          {slip.badge ? <Badge badge={slip.badge} /> : null}
        </h3>
        <span className="text-ink-3 num">{slip.figure}</span>
        {slip.lines.map((line) => (
          <p key={line}>
            <OutsideText>{line}</OutsideText>
          </p>
        ))}
      </div>
    </article>
  );
}
