import Link from "next/link";
import { outboxBadge, outcomeBadge } from "#lib/console/badge.ts";
import type { EventDetails } from "#lib/console/event.ts";
import { eventHref, workspaceHref } from "#lib/console/links.ts";
import { maskAddress } from "#lib/console/slips.ts";
import { Badge } from "../badge.tsx";
import { Id } from "../id.tsx";
import { OutsideText } from "../outside-text.tsx";
import { Panel } from "../panel.tsx";

type Props = { details: Pick<EventDetails, "effects" | "entries" | "messages"> };

/** The verdict of each effect, what it wrote into the ledger, and what it wants to be sent. */
export function EffectsPanel({ details: { effects, entries, messages } }: Props) {
  if (effects.length + entries.length + messages.length === 0) return null;
  return (
    <Panel title="What it did" aside={effects.length === 1 ? "1 effect" : `${effects.length} effects`}>
      {effects.map((effect) => (
        <div key={effect.effect} className="part">
          <Badge badge={outcomeBadge(effect.outcome)} /> {effect.effect}
          <p className="text-ink-2">
            <OutsideText>{effect.why}</OutsideText>
            {effect.byEventId ? (
              <>
                {" "}
                (
                <Link className="link" href={eventHref(effect.byEventId)}>
                  <Id>{effect.byExternalId ?? effect.byEventId}</Id>
                </Link>
                )
              </>
            ) : null}
          </p>
        </div>
      ))}
      {entries.map((entry) => (
        <div key={entry.id} className="part num">
          {entry.amount.startsWith("-") ? "" : "+"}
          {entry.amount} credits for{" "}
          <Link className="link" href={workspaceHref(entry.workspaceId)}>
            <OutsideText>{entry.workspaceName}</OutsideText>
          </Link>
          {entry.confirmationOmitted ? (
            <p className="text-ink-2">No confirmation: {entry.confirmationOmitted}.</p>
          ) : null}
        </div>
      ))}
      {messages.map((message) => (
        <div key={message.id} className="part">
          <Badge badge={outboxBadge(message.status)} /> {message.topic} to{" "}
          <Id full>{maskAddress(message.destination)}</Id>
        </div>
      ))}
    </Panel>
  );
}
