import type { Decision, ProjectionDraft, ProjectionFact } from "./types.ts";

/** A state that an event carries, and how far along a life it is: a higher rank never goes back to a lower one. */
export type CarriedState = {
  status: string;
  rank: number;
  /** The sender's monotonic version; null for senders without one. */
  version: bigint | null;
  /** Second at which the sender made the event; decides between states of equal rank alone, and only there. */
  statedAt: bigint | null;
  amount: bigint | null;
  currency: string | null;
};

/**
 * Whether a carried state takes the place of what is known. With versions, the larger version. Without, the higher
 * rank; of two equal ranks the one that was made later, and of two made in the same second the one that comes later in
 * the alphabet: an order that is the same whichever event arrives first. It is the best that an event can say about the
 * present, and the projection says that it comes from one.
 */
export function takesPlace(
  carried: CarriedState,
  known: ProjectionFact,
  rankOf: (status: string) => number,
): boolean {
  if (known.status === null) return true;
  if (carried.version !== null) return known.version === null || carried.version > known.version;
  if (known.version !== null) return false;
  const ranks = [carried.rank, rankOf(known.status)] as const;
  if (ranks[0] !== ranks[1]) return ranks[0] > ranks[1];
  const [made, before] = [carried.statedAt ?? 0n, known.statedAt ?? 0n];
  return made !== before ? made > before : carried.status > known.status;
}

type Subject = Pick<ProjectionDraft, "kind" | "id" | "customer">;

/** The decision on an event that carries a state, where nothing else can be asked. */
export function decideByState(
  subject: Subject,
  carried: CarriedState,
  known: ProjectionFact,
  rankOf: (status: string) => number,
): Decision {
  const { rank: _, ...state } = carried;
  const { id } = subject;
  if (takesPlace(carried, known, rankOf)) {
    const how = carried.version === null ? "as the event says" : `version ${carried.version}`;
    const changes = { projections: [{ ...subject, mark: false, state }] };
    return { kind: "applied", why: `${id} is ${carried.status}, ${how}`, changes, subject: id };
  }
  const same = known.status === carried.status && known.version === carried.version;
  if (same && known.byEventId)
    return {
      kind: "already_applied",
      byEventId: known.byEventId,
      why: `${id} is ${carried.status} already`,
      subject: id,
    };
  const newer = known.version === null ? `${known.status}` : `version ${known.version}`;
  return { kind: "stale", why: `${id} is at ${newer} by now, past ${carried.status}`, subject: id };
}
