import { z } from "zod";

/**
 * Where a run goes on (column reconciliation_runs.progress). It moves in the transaction that keeps what was found up
 * to there, so that a run that was cut off neither skips anything nor counts it twice.
 *
 *   list      pages of the sender's list, one listing and account after the other
 *   entries   our own entries of the window: not in the list? intent sent?
 *   repair    receipts for what can be repaired, or requests to deliver again
 *   verify    looks again at what was repaired, once the worker has been at it
 *   close     closes the gaps of the window that nothing found again
 */
export const progressSchema = z.discriminatedUnion("phase", [
  z.object({
    phase: z.literal("list"),
    listing: z.int(),
    account: z.int(),
    cursor: z.string().nullable(),
  }),
  z.object({ phase: z.literal("entries"), cursor: z.tuple([z.string(), z.string()]).nullable() }),
  z.object({ phase: z.literal("repair"), cursor: z.string().nullable() }),
  /** `until`: milliseconds since the epoch by which the worker should have been at it. */
  z.object({ phase: z.literal("verify"), cursor: z.string().nullable(), until: z.number() }),
  z.object({ phase: z.literal("close") }),
]);
export type Progress = z.infer<typeof progressSchema>;

export const FIRST: Progress = { phase: "list", listing: 0, account: 0, cursor: null };
