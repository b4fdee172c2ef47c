import { CONFLICT_BADGE } from "#lib/console/badge.ts";
import type { ConflictRow } from "#lib/console/event.ts";
import { type PayloadView, viewPayload } from "#lib/console/payload.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { Payload } from "../payload.tsx";
import { ContentDiff } from "./content-diff.tsx";

type Props = { conflicts: ConflictRow[]; first: PayloadView; zone: string };

/** Other content that came under the same event id, beside the first, which stays what it was. The newest is open. */
export function ConflictsPanel({ conflicts, first, zone }: Props) {
  if (conflicts.length === 0) return null;
  return (
    <Panel title="Conflicts" aside="other content under the same id">
      {conflicts.map((conflict, at) => (
        <div key={conflict.id} className="part">
          <Badge badge={CONFLICT_BADGE} /> <Clock at={conflict.receivedAt} zone={zone} withDay />
          {conflict.seen > 1 ? `, came ${conflict.seen} times` : ""}
          {conflict.resolvedAt ? `, resolved by ${conflict.resolvedBy ?? "somebody"}` : ""}
          <p className="text-ink-2">
            <OutsideText>{conflict.why}</OutsideText>
          </p>
          <details className="mt-2" open={at === 0}>
            <summary className="cursor-pointer text-1 text-ink-2 mb-2">Both contents</summary>
            <Contents first={first} other={viewPayload(conflict.body)} />
          </details>
        </div>
      ))}
    </Panel>
  );
}

/** Line by line where both are text; without the first there is nothing to compare with. */
function Contents({ first, other }: { first: PayloadView; other: PayloadView }) {
  if (first.kind === "text" && other.kind === "text") {
    const notice = first.notice ?? other.notice;
    return (
      <>
        {notice ? <p className="text-ink-2 mb-2">{notice}</p> : null}
        <ContentDiff first={first.text} other={other.text} />
      </>
    );
  }
  return (
    <>
      {first.kind === "gone" ? (
        <p className="text-ink-2">The first content has expired, so there is nothing to compare with.</p>
      ) : null}
      <Payload view={other} label="Content of the conflict" />
    </>
  );
}
