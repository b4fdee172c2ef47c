import { describe, expect, it } from "vitest";
import { clock, day, duration, exactUtc, knownZone, relative, toMillis } from "#lib/console/time.ts";

describe("times", () => {
  it("reads PostgreSQL's text and ISO alike, fractions and offsets included", () => {
    const expected = Date.UTC(2026, 2, 3, 10, 2, 11) + 204.123;
    for (const text of [
      "2026-03-03 10:02:11.204123+00",
      "2026-03-03T10:02:11.204123Z",
      "2026-03-03 12:02:11.204123+02",
      "2026-03-03 15:32:11.204123+05:30",
      "2026-03-03 15:32:11.204123+0530",
    ]) {
      expect(toMillis(text), text).toBeCloseTo(expected, 2);
    }
    expect(toMillis("2026-03-03 10:02:11+00")).toBe(Date.UTC(2026, 2, 3, 10, 2, 11));
    expect(toMillis("yesterday")).toBeNaN();
  });

  it("shows every stored digit in the exact form", () => {
    expect(exactUtc("2026-03-03 12:02:11.2041+02")).toBe("2026-03-03 10:02:11.204100 UTC");
  });

  it("says how long ago in one unit, and how long in two", () => {
    expect(relative(1_000, 13_000)).toBe("12 s ago");
    expect(relative(0, 200)).toBe("now");
    expect(relative(0, 7_300_000)).toBe("2 h ago");
    expect(relative(9_000, 1_000)).toBe("in 8 s");
    expect(duration(0.4)).toBe("< 1 ms");
    expect(duration(31)).toBe("31 ms");
    expect(duration(9_940)).toBe("9.9 s");
    expect(duration(9_999)).toBe("9 s");
    expect(duration(126_000)).toBe("2 min 6 s");
    expect(duration(3 * 3_600_000)).toBe("3 h");
    expect(duration(100_000_000)).toBe("1 d 3 h");
  });

  it("speaks the viewer's zone, and UTC when the zone is nonsense", () => {
    expect(clock("2026-07-03 10:02:11.204123+00", "Europe/Berlin")).toBe("12:02:11.204");
    expect(day("2026-07-03 23:30:00+00", "Europe/Berlin")).toBe("4 July 2026");
    expect(knownZone("Europe/Berlin")).toBe("Europe/Berlin");
    for (const zone of [undefined, "", "Mars/Olympus", "x".repeat(100)]) expect(knownZone(zone)).toBe("UTC");
  });
});
