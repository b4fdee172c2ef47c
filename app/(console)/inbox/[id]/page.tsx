import Link from "next/link";
import { notFound } from "next/navigation";
import { db } from "#app/db.ts";
import { requirePage } from "#app/guard.ts";
import { CONFLICT_BADGE, inboxBadge } from "#lib/console/badge.ts";
import { loadBody, loadEventDetails, loadEventRow } from "#lib/console/event.ts";
import { viewPayload } from "#lib/console/payload.ts";
import { withDeadline } from "#lib/console/problem.ts";
import { Badge } from "../../../_components/badge.tsx";
import { CopyButton } from "../../../_components/copy-button.tsx";
import { EventStory } from "../../../_components/event/event-story.tsx";
import { OutsideText } from "../../../_components/outside-text.tsx";
import { PageBar } from "../../../_components/page-bar.tsx";
import { ReplayButton } from "../../../_components/replay/replay-button.tsx";
import { AutoRefresh } from "../../../_components/shell/auto-refresh.tsx";
import { readViewer } from "../../viewer.ts";

export const dynamic = "force-dynamic";
export const metadata = { title: "Event" };

export default async function EventPage({ params }: { params: Promise<{ id: string }> }) {
  await requirePage("inbox.read");
  const { id } = await params;
  const [{ zone }, event] = await Promise.all([readViewer(), withDeadline(loadEventRow(db(), id))]);
  if (!event) notFound();
  const [details, body] = await withDeadline(
    Promise.all([loadEventDetails(db(), event), loadBody(db(), event)]),
  );
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
        <ReplayButton choices={[{ id: event.id, label: event.type }]} />
      </PageBar>
      <AutoRefresh on="change" />
      <EventStory event={event} details={details} payload={viewPayload(body)} zone={zone} />
    </>
  );
}
