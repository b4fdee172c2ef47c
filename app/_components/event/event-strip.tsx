import { namedBadge } from "#lib/console/badge.ts";
import type { EventDetails, EventRow } from "#lib/console/event.ts";
import { type StripStep, stripSteps } from "#lib/console/event-strip.ts";
import { exactUtc } from "#lib/console/time.ts";
import { Badge } from "../badge.tsx";

/** received → committed → attempts → effect → intent, and how far this event has come. */
export function EventStrip({
  event,
  details,
  zone,
}: {
  event: EventRow;
  details: EventDetails;
  zone: string;
}) {
  return (
    <ol className="strip" aria-label="The way of this event">
      {stripSteps(event, details, zone).map((step) => (
        <Step key={step.what} step={step} />
      ))}
    </ol>
  );
}

function Step({ step }: { step: StripStep }) {
  return (
    <li className={step.reached ? "" : "todo"}>
      <span className="what">{step.what}</span>
      <span className="main-line" title={step.at ? exactUtc(step.at) : undefined}>
        {step.badge ? <Badge badge={namedBadge(step.badge)} /> : step.main}
      </span>
      <span className="detail" title={step.detail}>
        {step.detail}
      </span>
    </li>
  );
}
