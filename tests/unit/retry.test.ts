import fc from "fast-check";
import { expect, it } from "vitest";
import { describeFailure } from "#lib/inbox/classify-failure.ts";
import { backoffSeconds, RETRY } from "#lib/inbox/retry.ts";

it("the delay stays between one second and one hour for any number of attempts", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER)),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempts, random) => {
        const seconds = backoffSeconds(attempts, random);
        expect(seconds).toBeGreaterThanOrEqual(RETRY.minSeconds);
        expect(seconds).toBeLessThanOrEqual(RETRY.capSeconds);
      },
    ),
  );
});

it("doubles its ceiling from two seconds up to the cap", () => {
  const almost = 1 - Number.EPSILON;
  expect([1, 2, 3, 10, 11, 12, 13].map((attempts) => Math.round(backoffSeconds(attempts, almost)))).toEqual([
    2, 4, 8, 1024, 2048, 3600, 3600,
  ]);
});

it("describes the innermost cause, without the outer message that may repeat parameters", () => {
  const cause = Object.assign(new Error("deadlock detected"), { code: "40P01" });
  expect(describeFailure(new Error("Failed query: insert … params: secret", { cause }))).toBe(
    "40P01: deadlock detected",
  );
});
