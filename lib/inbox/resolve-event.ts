import type { Tx } from "#db/client.ts";
import { type Outcome, refuse, succeed } from "#lib/outcome.ts";
import type { Judged } from "#lib/receive/judge.ts";
import { type Content, judgeAnew } from "./judge-anew.ts";
import { LANES, type Lane } from "./lanes.ts";
import { type Resolvable, refuseState } from "./resolvable.ts";

/** States that nothing moves on from, and what to do instead. */
const CLOSED: Partial<Record<Resolvable["status"], string>> = {
  done: "its effect is there. A replay shows what it would come to again.",
  ignored: "nothing took it. A replay looks whether something does by now.",
  dismissed: "somebody closed it for good.",
};

/** Starts a new retry round for what failed, waits or is between two tries; what is quarantined is read anew. */
export async function retryLocked(
  tx: Tx,
  event: Resolvable,
  why: string,
  lane: Lane = LANES.LIVE,
): Promise<Outcome<null>> {
  const closed = CLOSED[event.status];
  if (closed) return refuseState(event, closed);
  if (event.waitsKind === "contract")
    return refuseState(event, "the source's contract is not confirmed. Confirm that first.");
  if (event.status === "quarantined") {
    if (isSuspected(event))
      return refuseState(event, "a replay is suspected. Accept its content, or dismiss it.");
    return await useQuarantined(tx, event, why);
  }
  await arm(tx, event, why, lane);
  return succeed(null);
}

/** Closes an event for good. Its attempts and its contents stay. */
export async function dismissLocked(tx: Tx, event: Resolvable, why: string): Promise<Outcome<null>> {
  const closed = CLOSED[event.status];
  if (closed) return refuseState(event, closed);
  await tx`
    update inbox_events set status = 'dismissed', why = ${why}, failure_class = null, waits_kind = null,
      waits_key = null, next_attempt_at = null, round_attempts = 0, round_started_at = null,
      round_paused_seconds = null, lane = ${LANES.LIVE}, finished_at = now()
    where id = ${event.id} and status = ${event.status} and attempts = ${event.attempts}`;
  return succeed(null);
}

/** Takes the content of a suspected replay for an event of its own; any other quarantined one must be usable by now. */
export async function acceptLocked(tx: Tx, event: Resolvable, why: string): Promise<Outcome<null>> {
  if (event.status !== "quarantined")
    return refuseState(event, "only a quarantined content, or that of a conflict, can be accepted.");
  return await useQuarantined(tx, event, why);
}

const isSuspected = ({ why }: Resolvable) => why?.startsWith("suspected_replay") ?? false;

async function useQuarantined(tx: Tx, event: Resolvable, why: string): Promise<Outcome<null>> {
  const content = await loadContent(tx, event);
  if (!content) return refuseState(event, "its body has expired.");
  const read = await judgeAnew(tx, event.sourceId, content);
  if (!read.ok) return refuseState(event, `it still cannot be used: ${read.why}.`);
  const { judged } = read.value;
  const [other] = await tx<{ id: string }[]>`
    select id from inbox_events where source_id = ${event.sourceId} and account = ${judged.account}
      and event_id = ${judged.eventId} and id <> ${event.id}`;
  if (other) return refuse("conflict", `The event ${other.id} has its id already.`, event.status);
  await moveTo(tx, event, judged, why);
  return succeed(null);
}

async function loadContent(tx: Tx, { id, bodyExpiresOn }: Resolvable): Promise<Content | null> {
  const [row] = await tx<Content[]>`
    select body, headers from inbox_bodies where expires_on = ${bodyExpiresOn}::date and inbox_event_id = ${id}`;
  return row ?? null;
}

/**
 * Due now, with a round of its own; attempts and the last error stay. What took workers down is tried alone, and may
 * take as many more.
 */
async function arm(tx: Tx, event: Resolvable, why: string, lane: Lane): Promise<void> {
  const { id, status, attempts, failureClass } = event;
  await tx`
    update inbox_events set status = 'pending', why = ${why}, failure_class = null, waits_kind = null,
      waits_key = null, next_attempt_at = now(), round_attempts = 0, round_started_at = null,
      round_paused_seconds = null, lane = ${failureClass === "poison" ? LANES.ALONE : lane}, crashes = 0,
      finished_at = null
    where id = ${id} and status = ${status} and attempts = ${attempts}`;
}

/** Gives an event the key and the state that its content has by now. */
export async function moveTo(tx: Tx, event: Resolvable, judged: Judged, why: string): Promise<void> {
  const { state } = judged;
  const waits = state.status === "waiting" ? state : null;
  await tx`
    update inbox_events set account = ${judged.account}, event_id = ${judged.eventId}, type = ${judged.type},
      mode = ${judged.mode}, subject = ${judged.subject}, api_version = ${judged.apiVersion},
      content_digest = ${judged.contentDigest}, status = ${state.status}, failure_class = null,
      why = ${state.status === "pending" ? why : state.why},
      waits_kind = ${waits?.waitsKind ?? null}, waits_key = ${waits?.waitsKey ?? null},
      next_attempt_at = ${state.status === "pending" ? tx`now()` : null},
      finished_at = ${state.status === "ignored" ? tx`now()` : null}, round_attempts = 0, round_started_at = null,
      round_paused_seconds = null, lane = ${LANES.LIVE}, crashes = 0
    where id = ${event.id} and status = ${event.status} and attempts = ${event.attempts}`;
}
