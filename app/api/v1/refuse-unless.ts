import { type Action, describeLack, may } from "#lib/access/actions.ts";
import type { Actor } from "#lib/access/actor.ts";
import { refuse } from "#lib/outcome.ts";

/** For calls whose action is known only from what they ask for; null where the actor may. */
export function refuseUnless(actor: Actor, action: Action) {
  return may(actor, action) ? null : refuse("forbidden", describeLack(actor, action));
}
