import Link from "next/link";
import type { EventRow } from "#lib/console/event.ts";
import { invoiceHref, isAboutInvoice } from "#lib/console/links.ts";
import { tellProjection } from "#lib/projections/describe.ts";
import { Clock } from "../clock.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";

/** The row itself. */
export function EventFacts({ event, zone }: { event: EventRow; zone: string }) {
  return (
    <section className="panel" aria-label="Facts">
      <dl className="facts">
        <dt>Subject</dt>
        <dd>
          <Subject event={event} />
        </dd>
        {event.projection ? (
          <>
            <dt>{event.projection.kind === "subscription" ? "Subscription now" : "Transaction now"}</dt>
            <dd>
              <OutsideText>{tellProjection(event.projection)}</OutsideText>
            </dd>
          </>
        ) : null}
        <dt>Source</dt>
        <dd>
          {event.sourceId}
          {event.sourceStatus === "paused" ? ", paused" : ""}
        </dd>
        <dt>Account</dt>
        <dd>
          <Id>{event.account}</Id>
        </dd>
        <dt>Mode</dt>
        <dd>{event.mode}</dd>
        <dt>Event id</dt>
        <dd>
          <Id>{event.eventId}</Id>
        </dd>
        <dt>Row id</dt>
        <dd>
          <Id>{event.id}</Id>
        </dd>
        {event.apiVersion ? (
          <>
            <dt>API version</dt>
            <dd>
              <OutsideText>{event.apiVersion}</OutsideText>
            </dd>
          </>
        ) : null}
        {event.waitsKey ? (
          <>
            <dt>Waits for {event.waitsKind}</dt>
            <dd>
              <Id>{event.waitsKey}</Id>
            </dd>
          </>
        ) : null}
        <dt>Body, SHA-256</dt>
        <dd>
          <Id>{event.bodyDigest}</Id>
        </dd>
        <dt>Body kept until</dt>
        <dd>{event.bodyExpiresOn}</dd>
        {event.finishedAt ? (
          <>
            <dt>Finished</dt>
            <dd>
              <Clock at={event.finishedAt} zone={zone} withDay />
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}

function Subject({ event }: { event: EventRow }) {
  if (event.subject === null) return <span className="text-ink-3">none</span>;
  if (!isAboutInvoice(event)) return <Id>{event.subject}</Id>;
  return (
    <Link className="link" href={invoiceHref({ ...event, subject: event.subject })}>
      <Id>{event.subject}</Id>
    </Link>
  );
}
