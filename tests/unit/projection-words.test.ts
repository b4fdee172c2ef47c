import { describe, expect, it } from "vitest";
import { type ProjectionView, tellProjection } from "#lib/projections/describe.ts";

const view = (overrides: Partial<ProjectionView> = {}): ProjectionView => ({
  kind: "subscription",
  status: "past_due",
  version: null,
  source: "fetch",
  canFetch: true,
  due: false,
  error: null,
  ...overrides,
});

describe("what is said about a projection", () => {
  it.each<[string, Partial<ProjectionView>]>([
    ["past due, as the sender answered", {}],
    ["past due, as the sender answered; a fetch is due", { due: true }],
    [
      "past due, as the last event told it; not fetched: no credentials are configured for this source",
      { source: "event", canFetch: false },
    ],
    ["not known yet, no answer so far; a fetch is due", { status: null, source: null, due: true }],
    [
      "past due, as the sender answered; the last fetch failed: the sender answered 500; a fetch is due",
      { due: true, error: "the sender answered 500" },
    ],
    [
      "succeeded, version 4 of the sender",
      { kind: "transaction", status: "succeeded", version: "4", source: "event" },
    ],
    [
      "captured, as the last event told it",
      { kind: "transaction", status: "captured", source: "event", canFetch: false },
    ],
  ])("%s", (told, overrides) => {
    expect(tellProjection(view(overrides))).toBe(told);
  });
});
