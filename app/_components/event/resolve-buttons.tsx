import type { EventRow } from "#lib/console/event.ts";
import { type ReasonAction, ReasonDialog } from "../reason-dialog.tsx";

/** What a person may decide about the event as it was read: nothing once it is done, ignored or dismissed. */
export type ResolveActions = {
  retry: ReasonAction;
  dismiss: ReasonAction;
  accept: ReasonAction;
  acceptConflict(conflict: string): ReasonAction;
  dismissConflict(conflict: string): ReasonAction;
};

type Props = { event: EventRow; actions: ResolveActions };

const OPEN: EventRow["status"][] = ["failed", "waiting", "quarantined", "pending"];

export function ResolveButtons({ event, actions }: Props) {
  if (!OPEN.includes(event.status)) return null;
  const isSuspected = event.why?.startsWith("suspected_replay") ?? false;
  const waitsForContract = event.waitsKind === "contract";
  return (
    <>
      <ReasonDialog
        word="Dismiss…"
        title="Dismiss this event"
        confirm="Dismiss for good"
        action={actions.dismiss}
      >
        It is closed for good and never has an effect. Its content, attempts and the reason stay on record.
      </ReasonDialog>
      {isSuspected ? (
        <ReasonDialog
          word="Accept as its own…"
          title="Accept as an event of its own"
          confirm="Accept it"
          action={actions.accept}
        >
          The same body came before under another id. Accepted, it is processed as an event of its own.
        </ReasonDialog>
      ) : waitsForContract || event.status === "pending" ? null : (
        <ReasonDialog
          word="Try again…"
          title="Try this event again"
          confirm="Try it again"
          action={actions.retry}
        >
          {RETRY_WORDS[event.status] ?? ""}
        </ReasonDialog>
      )}
    </>
  );
}

const RETRY_WORDS: Partial<Record<EventRow["status"], string>> = {
  failed: "A new round of tries begins now. What was tried before stays on record.",
  waiting: "It is tried now, and waits again when what it waits for is not there.",
  quarantined: "Its content is read anew. It goes on when it can be used by now, and stays here when not.",
};

type ConflictProps = { conflict: string; status: EventRow["status"]; actions: ResolveActions };

/** The two ways to close a conflict, named by what they do to the event. */
export function ConflictButtons({ conflict, status, actions }: ConflictProps) {
  const isClosed = status === "done" || status === "dismissed";
  return (
    <p className="flex flex-wrap gap-2 mt-2">
      <ReasonDialog
        word="Keep the first…"
        title="Keep the first content"
        confirm="Keep the first"
        action={actions.dismissConflict(conflict)}
      >
        The event goes on as it is. This other content is closed and stays on record.
      </ReasonDialog>
      <ReasonDialog
        word={isClosed ? "Acknowledge this one…" : "Process this one…"}
        title={isClosed ? "Acknowledge this content" : "Process this content instead"}
        confirm={isClosed ? "Acknowledge it" : "Process this one"}
        action={actions.acceptConflict(conflict)}
      >
        {isClosed
          ? `The event is ${status}, and stays so: nothing is applied again. This content is recorded as the right one; what follows from it is for you to correct.`
          : "This content becomes the event's own: it is what is processed now, and what later deliveries are compared with. The first stays on record."}
      </ReasonDialog>
    </p>
  );
}
