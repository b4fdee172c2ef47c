import { CONFLICT_BADGE } from "#lib/console/badge.ts";
import type { ConflictRow } from "#lib/console/event.ts";
import { viewPayload } from "#lib/console/payload.ts";
import { Badge } from "../badge.tsx";
import { Clock } from "../clock.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { Payload } from "../payload.tsx";

/** Other content that came under the same event id. The first stays what it was. */
export function ConflictsPanel({ conflicts, zone }: { conflicts: ConflictRow[]; zone: string }) {
  if (conflicts.length === 0) return null;
  return (
    <Panel title="Conflicts" aside="other content under the same id">
      {conflicts.map((conflict) => (
        <div key={conflict.id} className="part">
          <Badge badge={CONFLICT_BADGE} /> <Clock at={conflict.receivedAt} zone={zone} withDay />
          {conflict.seen > 1 ? `, came ${conflict.seen} times` : ""}
          {conflict.resolvedAt ? `, resolved by ${conflict.resolvedBy ?? "somebody"}` : ""}
          <p className="text-ink-2">
            <OutsideText>{conflict.why}</OutsideText>
          </p>
          <details className="mt-2">
            <summary className="cursor-pointer text-1 text-ink-2">Its content</summary>
            <Payload view={viewPayload(conflict.body)} label="Content of the conflict" />
          </details>
        </div>
      ))}
    </Panel>
  );
}
