import { z } from "zod";

/** What can go wrong on demand; each for `times` occasions (default 1), then it is used up. */
export const fault = z.discriminatedUnion("what", [
  /** The attempt never leaves, and the sender believes that it was delivered. */
  z.object({ what: z.literal("lost"), times: z.int().default(1) }),
  /** The attempt fails on the way: the sender knows, and retries by its schedule. */
  z.object({ what: z.literal("drop"), times: z.int().default(1) }),
  /** It arrives twice, although the first was answered. */
  z.object({ what: z.literal("duplicate"), times: z.int().default(1) }),
  /** It is held back until another delivery has gone first. */
  z.object({ what: z.literal("reorder"), times: z.int().default(1) }),
  z.object({ what: z.literal("delay"), ms: z.int(), times: z.int().default(1) }),
  /** The event says another amount than the sender's books. */
  z.object({ what: z.literal("wrong_amount"), by: z.int().default(100), times: z.int().default(1) }),
  /** Calls of the API are refused with 429. */
  z.object({ what: z.literal("rate_limit"), retryAfter: z.int().default(1), times: z.int().default(1) }),
  z.object({ what: z.literal("server_error"), status: z.int().default(500), times: z.int().default(1) }),
  /** The connection of an API call is cut in the middle of the answer. */
  z.object({ what: z.literal("cut"), times: z.int().default(1) }),
  /** What comes into being is left out of lists for so long. */
  z.object({ what: z.literal("late_visibility"), ms: z.int(), times: z.int().default(1) }),
]);
export type Fault = z.infer<typeof fault>;
type What = Fault["what"];

export type Faults = {
  add(given: z.input<typeof fault>): void;
  /** The next fault of a kind, used up by one; null when there is none. */
  take<W extends What>(what: W): Extract<Fault, { what: W }> | null;
  clear(): void;
  list(): readonly Fault[];
};

export function createFaults(): Faults {
  let faults: Fault[] = [];
  return {
    add(given) {
      faults.push(fault.parse(given));
    },
    take(what) {
      const found = faults.find((candidate) => candidate.what === what);
      if (!found) return null;
      found.times--;
      if (found.times <= 0) faults = faults.filter((candidate) => candidate !== found);
      return found as never;
    },
    clear() {
      faults = [];
    },
    list: () => faults,
  };
}
