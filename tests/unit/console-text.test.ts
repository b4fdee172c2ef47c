import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCursor } from "#lib/console/inbox-filter.ts";
import { eventHref, invoiceHref } from "#lib/console/links.ts";
import { hexDump, viewPayload } from "#lib/console/payload.ts";
import { prettyJson } from "#lib/console/pretty-json.ts";
import { bytes, capped, linkable, money, revealPlain, revealText, shortId } from "#lib/console/text.ts";

describe("laying out JSON", () => {
  it("keeps digits, escapes and the order of keys as they were sent", () => {
    const { text } = prettyJson('{"b":12345678901234567890.10,"a":[1e400,{}],"c":"x\\u0000\\"y"}');
    expect(text).toBe(
      '{\n  "b": 12345678901234567890.10,\n  "a": [\n    1e400,\n    {}\n  ],\n  "c": "x\\u0000\\"y"\n}',
    );
  });

  it("changes nothing but white space between tokens, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 3 }), (value, indent) => {
        const sent = JSON.stringify([value], null, indent);
        const { text } = prettyJson(sent);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify([value]));
        expect(prettyJson(text).text).toBe(text);
      }),
    );
  });

  it("loses no character of a text that only looks like JSON", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\ ab\n1') }), (rest) => {
        const squeeze = (text: string) => text.replace(/\s/g, "");
        expect(squeeze(prettyJson(`{${rest}`).text)).toBe(squeeze(`{${rest}`));
      }),
    );
  });

  it("survives twenty thousand brackets, and cuts what is huge", () => {
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    expect(prettyJson(deep).text.length).toBeLessThan(5_000_000);
    expect(prettyJson(`["${"x".repeat(1_000)}"]`, 100)).toMatchObject({ cut: true });
  });

  it("shows bytes that are no text as bytes, and says when a body is gone", () => {
    expect(viewPayload(Buffer.from([0xff, 0x41]))).toMatchObject({
      kind: "hex",
      notice: expect.stringContaining("2 B"),
    });
    expect(hexDump(Buffer.from("AB\n"), 16)).toBe(`00000000  41 42 0a${" ".repeat(39)}  AB.`);
    expect(viewPayload(null)).toMatchObject({ kind: "gone" });
  });
});

describe("text from outside", () => {
  it("makes characters visible that hide, break lines or turn text around", () => {
    expect(revealText("a\u202eb")).toEqual([{ text: "a" }, { mark: "U+202E" }, { text: "b" }]);
    expect(revealPlain("\u2028\u2066\ufeff\u0000\ud800\u{e0041}")).toBe(
      "‹U+2028›‹U+2066›‹U+FEFF›‹U+0000›‹U+D800›‹U+E0041›",
    );
    expect(revealText("\u202e".repeat(100_000)).length).toBeLessThan(1_000);
    expect(revealPlain("\u202e".repeat(1_000))).not.toMatch(/\u202e/);
    expect(revealText("Ünï 😀 naïve\n\ttab")).toEqual([{ text: "Ünï 😀 naïve\n\ttab" }]);
  });

  it("links http and https alone", () => {
    expect(linkable("https://example.test/a")).toBe("https://example.test/a");
    for (const url of [
      "javascript:alert(1)",
      "data:text/html,x",
      "https://a:b@x.test/",
      "/x",
      "ftp://x.test",
      "https:",
    ]) {
      expect(linkable(url), url).toBeNull();
    }
  });

  it("encodes every part of an address", () => {
    const key = { sourceId: "stripe", account: "acct_x~test", subject: "in_a/b%41?c" };
    expect(invoiceHref(key)).toBe("/invoices/stripe/acct_x~test/in_a%2Fb%2541%3Fc");
    expect(invoiceHref({ ...key, subject: ".." })).not.toMatch(/\/\.\.$/);
    expect(invoiceHref({ ...key, subject: "\ud800" })).toContain("%EF%BF%BD");
    expect(eventHref("a b")).toBe("/inbox/a%20b");
  });

  it("takes a cursor with microseconds and nothing else", () => {
    const id = "01a22e89-6c5b-72d5-84b8-48f1df565ad6";
    expect(parseCursor(`2026-11-30T22:18:55.084723+00_${id}`)).toEqual({
      at: "2026-11-30T22:18:55.084723+00",
      id,
    });
    // A plus sign that a form turned into a blank.
    expect(parseCursor(`2026-11-30T22:18:55.084723 00_${id}`)?.id).toBe(id);
    for (const text of [null, "", "x", `2026-11-30_${id}`, `2026-11-30T22:18:55+00_${id}'; drop`]) {
      expect(parseCursor(text)).toBeNull();
    }
  });
});

describe("figures", () => {
  it("shows money in the currency's own digits, never through a float", () => {
    expect(money("1000", "usd")).toBe("10.00 USD");
    expect(money(5n, "usd")).toBe("0.05 USD");
    expect(money("-1234", "jpy")).toBe("−1234 JPY");
    expect(money("90071992547409931", "kwd")).toBe("90071992547409.931 KWD");
    expect(money("100", "not a currency")).toBe("1.00 NOT A CURRENCY");
  });

  it("stops counting at 10,000, and shortens ids in the middle", () => {
    expect(capped(10_000)).toBe("10,000");
    expect(capped(10_001)).toBe("10,000+");
    expect(bytes(1_500)).toBe("1.5 kB");
    expect(shortId("in_1Pgc9xB7WZ01zgkW2M")).toBe("in_1Pgc9x…kW2M");
    expect(shortId("in_9")).toBe("in_9");
  });
});
