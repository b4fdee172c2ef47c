import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { whyNotPublic } from "#lib/outbound/addresses.ts";
import { parseAllowances } from "#lib/outbound/allowances.ts";
import { checkUrl } from "#lib/outbound/check-url.ts";

const byte = fc.integer({ min: 0, max: 255 });
const quad = fc.tuple(byte, byte, byte, byte);
const write = (parts: readonly number[]) => parts.join(".");
const hex = (a: number, b: number) => ((a << 8) | b).toString(16);
const inside = ([a, b, c, d]: readonly number[], prefix: string, suffix = "") =>
  `${prefix}${hex(a!, b!)}:${hex(c!, d!)}${suffix}`;

/** The ranges again, in arithmetic of our own. */
function isPrivate([a, b]: readonly [number, number, number, number]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168)
  );
}

const allowing = (text: string) => {
  const parsed = parseAllowances(text);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.allow;
};

describe("addresses", () => {
  it("of private and special ranges are never public, in whatever form", () => {
    fc.assert(
      fc.property(quad.filter(isPrivate), (parts) => {
        expect(whyNotPublic(write(parts))).not.toBeNull();
        expect(whyNotPublic(inside(parts, "::ffff:"))).not.toBeNull();
        expect(whyNotPublic(`::ffff:${write(parts)}`)).not.toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it("that lead through a translator or a tunnel are never public, wherever they lead", () => {
    fc.assert(
      fc.property(quad, (parts) => {
        for (const address of [
          inside(parts, "64:ff9b::"),
          inside(parts, "64:ff9b:1::"),
          inside(parts, "2002:", "::1"),
          inside(parts, "::"),
          inside(parts, "::ffff:0:"),
          inside(parts, "2001:0:1:2:3:4:"),
          inside(parts, "2600:1:2:3:0:5efe:"),
          inside(parts, "fd00::"),
          inside(parts, "fe80::"),
          inside(parts, "fec0::"),
          inside(parts, "ff02::"),
        ])
          expect([address, whyNotPublic(address)]).not.toEqual([address, null]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "::ffff:8.8.8.8",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
  ])("%s is public", (address) => expect(whyNotPublic(address)).toBeNull());

  it.each(["168.63.129.16", "192.0.2.1", "198.18.0.1", "255.255.255.255", "", "localhost", "fe80::1%eth0"])(
    "%j is not",
    (address) => expect(whyNotPublic(address)).not.toBeNull(),
  );
});

describe("the URL of a destination", () => {
  it("never leads to a private address, however its host is written", () => {
    const spellings = [
      (parts: readonly number[]) => write(parts),
      (parts: readonly number[]) => parts.map((part) => `0x${part.toString(16)}`).join("."),
      (parts: readonly number[]) => parts.map((part) => `0${part.toString(8)}`).join("."),
      (parts: readonly number[]) => String(parts.reduce((sum, part) => sum * 256 + part, 0)),
      (parts: readonly number[]) => `${write(parts)}.`,
      (parts: readonly number[]) => `[${inside(parts, "::ffff:")}]`,
      (parts: readonly number[]) => write(parts).replaceAll(".", "%2e"),
      (parts: readonly number[]) => write(parts).replaceAll(".", "\u3002"),
    ];
    fc.assert(
      fc.property(quad.filter(isPrivate), fc.constantFrom(...spellings), (parts, spell) => {
        const check = checkUrl(`https://${spell(parts)}/`, ["https:"], allowing(""));
        expect(check.ok).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("OUTBOUND_ALLOW", () => {
  it("knows the addresses of its ranges, and no other", () => {
    fc.assert(
      fc.property(quad, fc.integer({ min: 0, max: 32 }), quad, (base, bits, other) => {
        const number = (parts: readonly number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
        const size = 2 ** (32 - bits);
        const within = Math.floor(number(base) / size) === Math.floor(number(other) / size);
        const allow = allowing(`${write(base)}/${bits}`);
        expect(allow.address(write(other))).toBe(within);
        expect(allow.address(`::ffff:${write(other)}`)).toBe(within);
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes hosts, addresses and ranges, in any case and with a final dot", () => {
    const allow = allowing("Hooks.Internal, 10.0.0.0/8 fd00::/8,192.168.1.7");
    expect(allow.host("hooks.internal.")).toBe(true);
    expect(allow.host("sub.hooks.internal")).toBe(false);
    expect(allow.host("[fd12::1]")).toBe(true);
    expect(allow.address("192.168.1.7")).toBe(true);
    expect(allow.address("192.168.1.8")).toBe(false);
    expect(allow.host("10.example.test")).toBe(false);
  });

  it.each(["10.0.0.0/33", "*.internal", "https://hooks.internal", "10.0.0", "0x7f000001", "a b/c"])(
    "does not take %j",
    (text) => expect(parseAllowances(text)).toMatchObject({ ok: false, why: /entry \d is neither/ }),
  );
});
