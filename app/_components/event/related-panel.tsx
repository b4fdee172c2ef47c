import Link from "next/link";
import { inboxBadge } from "#lib/console/badge.ts";
import type { AuditRow, RelatedRow } from "#lib/console/event.ts";
import { eventHref } from "#lib/console/links.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

/** Other events about the same thing. */
export function RelatedPanel({ related, zone }: { related: RelatedRow[]; zone: string }) {
  if (related.length === 0) return null;
  return (
    <Panel title="Same subject" aside={related.length === 20 ? "the newest 20" : related.length}>
      {related.map((row) => (
        <div key={row.id} className="part">
          <div className="flex items-center justify-between gap-2">
            <Link className="link truncate" href={eventHref(row.id)}>
              <OutsideText>{row.type}</OutsideText>
            </Link>
            <Badge badge={inboxBadge(row)} />
          </div>
          <Clock at={row.receivedAt} zone={zone} withDay className="text-1 text-ink-3" />
        </div>
      ))}
    </Panel>
  );
}

/** What people did to this event. */
export function AuditPanel({ audit, zone }: { audit: AuditRow[]; zone: string }) {
  if (audit.length === 0) return null;
  return (
    <Panel title="Audit" aside={audit.length === 20 ? "the newest 20" : audit.length}>
      {audit.map((entry) => (
        <div key={entry.id} className="part">
          <b className="font-semibold">
            <OutsideText>{entry.actor}</OutsideText>
          </b>{" "}
          {entry.action}
          {entry.reason ? (
            <p className="text-ink-2 [overflow-wrap:anywhere]">
              “<OutsideText>{entry.reason}</OutsideText>”
            </p>
          ) : null}
          <p>
            <Clock at={entry.at} zone={zone} withDay className="text-1 text-ink-3" />
          </p>
        </div>
      ))}
    </Panel>
  );
}
