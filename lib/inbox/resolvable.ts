import type { Tx } from "#db/client.ts";
import type { Outcome as EventOutcome, FailureClass, InboxStatus, WaitsKind } from "#db/states.ts";
import { refuse } from "#lib/outcome.ts";

/** An event that a person is about to move, locked. */
export type Resolvable = {
  id: string;
  sourceId: string;
  account: string;
  eventId: string;
  status: InboxStatus;
  outcome: EventOutcome | null;
  failureClass: FailureClass | null;
  waitsKind: WaitsKind | null;
  attempts: number;
  why: string | null;
  bodyExpiresOn: string;
};

/** `busy`: a worker, a redelivery or another person is at it at this moment. */
export type Locked = { is: "locked"; event: Resolvable } | { is: "busy" } | { is: "missing" };

/** Locks an event without waiting: what is being processed must not be closed the moment after. */
export async function lockResolvable(tx: Tx, id: string): Promise<Locked> {
  const [event] = await tx<Resolvable[]>`
    select id, source_id as "sourceId", account, event_id as "eventId", status, outcome,
      failure_class as "failureClass", waits_kind as "waitsKind", attempts, why,
      body_expires_on::text as "bodyExpiresOn"
    from inbox_events where id = ${id} for update skip locked`;
  if (event) return { is: "locked", event };
  const [found] = await tx`select from inbox_events where id = ${id}`;
  return { is: found ? "busy" : "missing" };
}

export const refuseBusy = () =>
  refuse("conflict", "The event is being worked on at this moment. Look at it again.", "busy");

export const refuseState = ({ status }: Pick<Resolvable, "status">, rest: string) =>
  refuse("conflict", `The event is ${status}: ${rest}`, status);

/** What an audit entry keeps of a state. */
export const stateOf = ({ status, outcome, failureClass, waitsKind, attempts }: Resolvable) => ({
  status,
  outcome,
  failureClass,
  waitsKind,
  attempts,
});
