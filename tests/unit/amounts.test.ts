import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digitsOf, readAmount } from "#lib/effects/amounts.ts";

describe("amounts in whole minor units", () => {
  it.each([
    [1999, 1999n],
    ["1999", 1999n],
    [0, 0n],
    [2_147_483_648, 2_147_483_648n],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
  ])("%s is taken as it is", (value, amount) => {
    expect(readAmount(value, "usd", "minor")).toBe(amount);
  });

  it.each([
    ["19.99"],
    [19.99],
    [-500],
    ["-500"],
    [1e21],
    [2n ** 63n],
    [null],
    [undefined],
    [true],
    ["1e3"],
    [" 5"],
    [""],
    ["٣"],
    [{}],
  ])("%s is for a person", (value) => {
    expect(readAmount(value as never, "usd", "minor")).toBeNull();
  });
});

describe("amounts in decimals", () => {
  it.each([
    ["19.99", "usd", 1999n],
    ["8.2", "usd", 820n],
    ["8.20", "usd", 820n],
    ["820", "jpy", 820n],
    ["1.234", "kwd", 1234n],
    [20, "usd", 2000n],
    ["0.07", "eur", 7n],
  ])("%s %s is read by its digits", (value, currency, amount) => {
    expect(readAmount(value, currency, "decimal")).toBe(amount);
  });

  it.each([
    ["19.999", "usd"],
    ["8.2", "jpy"],
    [19.99, "usd"],
    ["-1.00", "usd"],
    ["1,000.00", "usd"],
    [".5", "usd"],
    ["5.", "usd"],
    ["99999999999999999999", "usd"],
  ])("%s %s is for a person", (value, currency) => {
    expect(readAmount(value, currency, "decimal")).toBeNull();
  });

  it("come back as they were written, for every amount and currency", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 17n }),
        fc.constantFrom("usd", "jpy", "kwd"),
        (minor, currency) => {
          const digits = digitsOf(currency);
          const text = minor.toString().padStart(digits + 1, "0");
          const decimal = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
          expect(readAmount(decimal, currency, "decimal")).toBe(minor);
        },
      ),
    );
  });
});
