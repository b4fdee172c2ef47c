/**
 * The queues that a pending row can stand in (column inbox_events.lane), each worked apart from the others:
 *
 * - `LIVE`: what senders deliver. Every row starts here, and returns here when it is settled.
 * - `BULK`: what a bulk operation armed. One transaction at a time, so that live events never queue behind it. Whoever
 *   arms many rows at once sets it together with `status = 'pending'`.
 * - `ALONE`: rows at which a worker died (poison.ts). One row at a time, in a process of its own.
 */
export const LANES = { LIVE: 0, BULK: 1, ALONE: 2 } as const;
export type Lane = (typeof LANES)[keyof typeof LANES];
