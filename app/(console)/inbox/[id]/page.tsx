import Link from "next/link";
import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { may } from "#lib/access/actions.ts";
import { CONFLICT_BADGE, inboxBadge } from "#lib/console/badge.ts";
import { type EventRow, loadBody, loadEventDetails, loadEventRow } from "#lib/console/event.ts";
import { viewPayload } from "#lib/console/payload.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { Badge } from "../../../_components/badge.tsx";
import { CopyButton } from "../../../_components/copy-button.tsx";
import { EventStory } from "../../../_components/event/event-story.tsx";
import { type ResolveActions, ResolveButtons } from "../../../_components/event/resolve-buttons.tsx";
import { OutsideText } from "../../../_components/outside-text.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { ReplayButton } from "../../../_components/replay/replay-button.tsx";
import { AutoRefresh } from "../../../_components/shell/auto-refresh.tsx";
import { readViewer } from "../../viewer.ts";
import { resolve } from "./actions.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Event" };

export default async function EventPage({ params }: { params: Promise<{ id: string }> }) {
  const actor = await requirePage("inbox.read");
  const { id } = await params;
  const [{ zone }, event] = await Promise.all([readViewer(), withDeadline(loadEventRow(db(), id))]);
  if (!event) notFound();
  const [details, body] = await withDeadline(
    Promise.all([loadEventDetails(db(), event), loadBody(db(), event)]),
  );
  const actions = may(actor, "inbox.resolve") ? actionsFor(event) : null;
  const hasConflict = details.conflicts.some((conflict) => conflict.resolvedAt === null);
  return (
    <>
      <PageBar
        title={
          <h1 className="flex gap-3 items-center text-3! font-normal! tracking-normal! min-w-0">
            <Link className="text-ink-3 quiet-link" href="/inbox">
              Inbox
            </Link>
            <span className="text-ink-3" aria-hidden="true">
              /
            </span>
            <span className="font-semibold truncate">
              <OutsideText>{event.type}</OutsideText>
            </span>
            <Badge badge={inboxBadge(event)} />
            {hasConflict ? <Badge badge={CONFLICT_BADGE} /> : null}
          </h1>
        }
      >
        <CopyButton>Copy link</CopyButton>
        {actions ? <ResolveButtons event={event} actions={actions} /> : null}
        <ReplayButton choices={[{ id: event.id, label: event.type }]} />
      </PageBar>
      <AutoRefresh on="change" />
      <EventStory event={event} details={details} payload={viewPayload(body)} zone={zone} actions={actions} />
    </>
  );
}

/** Bound to the state as it was read: what has moved on since is refused instead of decided twice. */
function actionsFor({ id, status, attempts }: EventRow): ResolveActions {
  const expect = { status, attempts };
  return {
    retry: resolve.bind(null, { id, decision: "retry", expect }),
    dismiss: resolve.bind(null, { id, decision: "dismiss", expect }),
    accept: resolve.bind(null, { id, decision: "accept_content", expect }),
    acceptConflict: (conflictId) =>
      resolve.bind(null, { id, decision: "accept_content", conflictId, expect }),
    dismissConflict: (conflictId) => resolve.bind(null, { id, decision: "dismiss", conflictId }),
  };
}
