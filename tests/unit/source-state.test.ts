import { describe, expect, it } from "vitest";
import { REJECTION_REASONS } from "#db/states.ts";
import { REJECTION_WORDS } from "#lib/console/rejection-words.ts";
import { sourceBadges, sourceSentence } from "#lib/console/source-state.ts";

type Source = Parameters<typeof sourceBadges>[0];

const READY: Source = { kind: "stripe", status: "active", readiness: { state: "ready" }, captureUntil: null };
const UNCONFIGURED = { state: "unconfigured", why: "verification is not configured" } as const;
const UNCONFIRMED = { state: "unconfirmed", missing: ["delivery"] } as const;
const GOOD = [{ fingerprint: "aa", why: null }];
const DAMAGED = [{ fingerprint: "aa", why: "it was encrypted under another SECRET_KEY, or is damaged" }];
const NOW = "2026-03-03 10:00:00+00";

const words = (source: Source, health = GOOD as typeof GOOD | typeof DAMAGED) =>
  sourceBadges(source, health).map(({ word }) => word);
const say = (source: Source, health = GOOD as typeof GOOD | typeof DAMAGED, activity = {}) =>
  sourceSentence(source, health, { lastEventAt: null, events: 0, rejections: 0, ...activity }, NOW);

describe("a source's state", () => {
  it("names everything that keeps it from working, the gravest first", () => {
    expect(words(READY)).toEqual(["receiving"]);
    expect(words(READY, DAMAGED)).toEqual(["no usable secret"]);
    expect(words({ ...READY, status: "paused" }, DAMAGED)).toEqual(["no usable secret", "paused"]);
    expect(words({ ...READY, readiness: UNCONFIRMED, status: "paused" })).toEqual([
      "contract unconfirmed",
      "paused",
    ]);
    expect(words({ ...READY, readiness: UNCONFIGURED })).toEqual(["not configured"]);
    expect(words({ ...READY, readiness: UNCONFIGURED, captureUntil: NOW })).toEqual(["capturing"]);
    expect(words({ ...READY, kind: "manual" }, DAMAGED)).toEqual(["built in"]);
  });

  it("is a sentence that says what a sender gets", () => {
    expect(say(READY, DAMAGED)).toBe(
      "Every request is answered with 503, because the source has no usable secret. No event has come yet.",
    );
    expect(say({ ...READY, readiness: UNCONFIGURED })).toContain("because verification is not configured.");
    const activity = { events: 1, rejections: 2, lastEventAt: "2026-03-03 09:59:48+00" };
    expect(say({ ...READY, status: "paused" }, GOOD, activity)).toBe(
      "Paused: events are received and kept, and nothing processes them. 1 event came in the last 24 h, the latest 12 s ago; 2 requests were turned away.",
    );
  });
});

it("every reason of a rejection has words and advice", () => {
  for (const reason of REJECTION_REASONS) {
    const { word, advice } = REJECTION_WORDS[reason];
    expect(word).toMatch(/^\w[\w ]+\w$|^not a POST$/);
    expect(advice).toMatch(/\.$/);
  }
});
