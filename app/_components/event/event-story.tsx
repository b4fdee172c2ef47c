import type { EventDetails, EventRow } from "#lib/console/event.ts";
import type { PayloadView } from "#lib/console/payload.ts";
import { bytes } from "#lib/console/text.ts";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";
import { Payload } from "../payload.tsx";
import { AttemptsPanel } from "./attempts-panel.tsx";
import { ConflictsPanel } from "./conflicts-panel.tsx";
import { DeliveriesPanel } from "./deliveries-panel.tsx";
import { EffectsPanel } from "./effects-panel.tsx";
import { EventFacts } from "./event-facts.tsx";
import { EventStrip } from "./event-strip.tsx";
import { AuditPanel, RelatedPanel } from "./related-panel.tsx";
import type { ResolveActions } from "./resolve-buttons.tsx";

type Props = {
  event: EventRow;
  details: EventDetails;
  payload: PayloadView;
  zone: string;
  actions: ResolveActions | null;
};

/** Everything about one event: why it is where it is, its way, and at the side what belongs to it. */
export function EventStory({ event, details, payload, zone, actions }: Props) {
  const why = event.why ?? event.lastError;
  return (
    <>
      {why ? (
        <p className="sentence">
          <OutsideText>{`${why[0]!.toUpperCase()}${why.slice(1)}${/[.!?]$/.test(why) ? "" : "."}`}</OutsideText>
        </p>
      ) : null}
      <div className="grid gap-4">
        <EventStrip event={event} details={details} zone={zone} />
        <div className="side">
          <div className="stack">
            <AttemptsPanel attempts={details.attempts} zone={zone} />
            <ConflictsPanel
              event={event}
              conflicts={details.conflicts}
              first={payload}
              zone={zone}
              actions={actions}
            />
            <Panel title="Payload" aside={`${bytes(event.bodyBytes)}, as received`}>
              <Payload view={payload} label="Payload" />
            </Panel>
          </div>
          <aside className="stack" aria-label="About this event">
            <EventFacts event={event} zone={zone} />
            <EffectsPanel details={details} />
            <DeliveriesPanel event={event} deliveries={details.deliveries} zone={zone} />
            <RelatedPanel related={details.related} zone={zone} />
            <AuditPanel audit={details.audit} zone={zone} />
          </aside>
        </div>
      </div>
    </>
  );
}
