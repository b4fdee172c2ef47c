import { z } from "zod";
import { dismissEvents, replayEvents, retryEvents } from "./inbox-actions.ts";
import type { BulkAction } from "./types.ts";

/** Every bulk action. A new one is one line. */
export const BULK_ACTIONS: readonly BulkAction[] = [
  replayEvents as BulkAction,
  retryEvents as BulkAction,
  dismissEvents as BulkAction,
];

const byName = new Map(BULK_ACTIONS.map((action) => [action.name, action]));

export const findAction = (name: string): BulkAction | undefined => byName.get(name);

export const actionName = z.enum(BULK_ACTIONS.map(({ name }) => name) as [string, ...string[]]);

const filters = [...new Set(BULK_ACTIONS.map(({ filter }) => filter))];
/** The shape of any action's filter; the action checks for itself which one is its own. */
export const anyFilter = filters.length === 1 ? filters[0]! : z.union(filters);
