import { CLOSED_CONFLICT_BADGE, CONFLICT_BADGE } from "#lib/console/badge.ts";
import type { ConflictRow, EventRow } from "#lib/console/event.ts";
import { type PayloadView, viewPayload } from "#lib/console/payload.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { Payload } from "../payload.tsx";
import { ContentDiff } from "./content-diff.tsx";
import { ConflictButtons, type ResolveActions } from "./resolve-buttons.tsx";

type Props = {
  event: Pick<EventRow, "status">;
  conflicts: ConflictRow[];
  first: PayloadView;
  zone: string;
  /** Null for who may not decide. */
  actions: ResolveActions | null;
};

const RESOLUTION_WORDS = {
  accepted: "accepted by",
  dismissed: "closed by",
  replaced: "what was processed until another content was accepted by",
};

/** Other content that came under the same event id, beside the event's own. What is open comes first. */
export function ConflictsPanel({ event, conflicts, first, zone, actions }: Props) {
  if (conflicts.length === 0) return null;
  return (
    <Panel title="Conflicts" aside="other content under the same id">
      {conflicts.map((conflict, at) => (
        <div key={conflict.id} className="part">
          <Badge badge={conflict.resolvedAt ? CLOSED_CONFLICT_BADGE : CONFLICT_BADGE} />{" "}
          <Clock at={conflict.receivedAt} zone={zone} withDay />
          {conflict.seen > 1 ? `, came ${conflict.seen} times` : ""}
          <p className="text-ink-2">
            <OutsideText>{conflict.why}</OutsideText>
          </p>
          {conflict.resolvedAt ? <Resolution conflict={conflict} /> : null}
          <details className="mt-2" open={at === 0 && !conflict.resolvedAt}>
            <summary className="cursor-pointer text-1 text-ink-2 mb-2">Both contents</summary>
            <Contents first={first} other={viewPayload(conflict.body)} />
          </details>
          {actions && !conflict.resolvedAt ? (
            <ConflictButtons conflict={conflict.id} status={event.status} actions={actions} />
          ) : null}
        </div>
      ))}
    </Panel>
  );
}

function Resolution({ conflict: { resolution, resolvedBy, reason } }: { conflict: ConflictRow }) {
  return (
    <p className="text-ink-2">
      {RESOLUTION_WORDS[resolution ?? "dismissed"]} <OutsideText>{resolvedBy ?? "somebody"}</OutsideText>
      {reason ? (
        <>
          : “<OutsideText>{reason}</OutsideText>”
        </>
      ) : null}
    </p>
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
