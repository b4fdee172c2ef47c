import type { z } from "zod";
import type { destinationAnswer } from "#lib/api/endpoints/destinations.ts";
import { toIsoTime, toIsoTimeOrNull } from "#lib/api/iso-time.ts";
import type { DestinationView } from "#lib/outbox/destination.ts";
import { type Outcome, succeed } from "#lib/outcome.ts";

/** A destination as the API shows it. */
export function toDestinationAnswer(view: DestinationView): z.input<typeof destinationAnswer> {
  const { brokenSince, brokenWhy, probes, probeAt, failures: _, ...rest } = view;
  return {
    ...rest,
    heldSince: toIsoTimeOrNull(view.heldSince),
    broken:
      brokenSince && brokenWhy && probeAt
        ? { since: toIsoTime(brokenSince), why: brokenWhy, probes, nextProbeAt: toIsoTime(probeAt) }
        : null,
    createdAt: toIsoTime(view.createdAt),
    updatedAt: toIsoTime(view.updatedAt),
  };
}

export function answerDestination(outcome: Outcome<DestinationView>) {
  return outcome.ok ? succeed({ body: toDestinationAnswer(outcome.value) }) : outcome;
}
