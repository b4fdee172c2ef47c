import type { z } from "zod";
import type { Tx } from "#db/client.ts";
import type { Action } from "#lib/access/actions.ts";
import type { Actor } from "#lib/access/actor.ts";

/** An item that is to be acted on, locked: what it names, and the state in which it was frozen. */
export type Item = {
  ordinal: number;
  eventId: string | null;
  messageId: string | null;
  was: string;
  wasAttempts: number;
};

/** What became of an item. `skipped`: it changed since it was frozen. `refused`: its state does not allow it. */
export type ItemVerdict = { ordinal: number; verdict: string; why: string | null };

/** Who asked for an operation, and why. */
export type By = { operation: string; actor: Actor; reason: string };

/** One kind of bulk action. A new one is one value and one line in actions.ts. */
export type BulkAction<Filter extends z.ZodType = z.ZodType> = {
  /** As the API names it. */
  name: string;
  /** What whoever starts or cancels it must be allowed to do. */
  asks: Action;
  filter: Filter;
  /** Fixes the items in the caller's transaction; returns how many, `limit` at the most. */
  freeze(tx: Tx, operation: string, filter: z.output<Filter>, limit: number): Promise<number>;
  /** Items per transaction. What waits for locks takes one: several waits in one transaction could make a circle. */
  step: number;
  /** Acts inside the caller's transaction. An item that somebody is at gets no verdict, and comes again. */
  act(tx: Tx, by: By, items: readonly Item[]): Promise<ItemVerdict[]>;
};
